import Dispatch
import InterlockTesting
import Testing

// As the package manager's test runner: see Tests/HangingTests.
Task { await Testing.__swiftPMEntryPoint() as Never }
dispatchMain()
