import Dispatch
import Testing

// As the package manager's test runner: see Tests/HangingTests.
if CommandLine.arguments.contains(where: { $0.contains("Unowned") }) { Outsiders.start() }
if CommandLine.arguments.contains(where: { $0.contains("LastRace") }) { LastRace.run() }
Task { await Testing.__swiftPMEntryPoint() as Never }
dispatchMain()
