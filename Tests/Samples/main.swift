import Dispatch
import InterlockTesting
import Testing

// Starts the tests as the package manager's test runner does: see Tests/HangingTests.
Task { await Testing.__swiftPMEntryPoint() as Never }
dispatchMain()
