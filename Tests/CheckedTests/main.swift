import Dispatch
import Testing

// Starts the tests as the package manager's test runner does: see Tests/HangingTests.
if CommandLine.arguments.contains(where: { $0.contains("Unowned") }) { Outsiders.start() }
if CommandLine.arguments.contains(where: { $0.contains("LastRace") }) { LastRace.run() }
Task { await Testing.__swiftPMEntryPoint() as Never }
dispatchMain()
