// swift-tools-version: 6.2

import PackageDescription

/// What every Swift target of the package is built with.
let common: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  // Each first importer of a library's module would index it again.
  .unsafeFlags(["-index-ignore-system-modules"], .when(configuration: .debug)),
  // One expression can take the type checker half a minute, which nothing else shows. In ms; on a
  // busy machine the macros of a test take 4 s.
  .unsafeFlags(["-Xfrontend", "-warn-long-function-bodies=15000"], .when(configuration: .debug)),
]

/// Section tracking is compiled in for debug builds, and elsewhere where the trait asks for it.
let tracking: [SwiftSetting] = [
  .define("INTERLOCK_TRACKING", .when(configuration: .debug)),
  .define("INTERLOCK_TRACKING", .when(traits: ["SectionTracking"])),
]

/// The same for C.
let trackingInC: [CSetting] = [
  .define("INTERLOCK_TRACKING", .when(configuration: .debug)),
  .define("INTERLOCK_TRACKING", .when(traits: ["SectionTracking"])),
]

/// C that runs within the calls of a user's program: optimised in debug builds too, and with the
/// trait UnseenCalls without any interposed call. A call that only jumps on to the real one needs
/// no frame.
func withinCalls(_ flags: String...) -> [CSetting] {
  [
    .unsafeFlags(["-O2", "-momit-leaf-frame-pointer"] + flags),
    .define("INTERLOCK_UNSEEN_CALLS", .when(traits: ["UnseenCalls"])),
  ]
}

/// Calls a function at each access of memory: those of CInterlockMemory, because this is no
/// '-sanitize=thread' of the linker.
let instrumented: [SwiftSetting] = [.unsafeFlags(["-Xfrontend", "-sanitize=thread"])]
let instrumentedC: [CSetting] = [.unsafeFlags(["-fsanitize=thread"])]

/// Names separated by spaces.
func names(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

/// A target names the targets that it uses; what these use comes with them.
extension Target {
  static func library(
    _ name: String, uses: String = "", at path: String? = nil, without: String = "",
    c: [CSetting] = [], swift: [SwiftSetting] = [], resources: [Resource] = []
  ) -> Target {
    .target(
      name: name, dependencies: names(uses).map { .init(stringLiteral: $0) }, path: path,
      exclude: names(without), resources: resources, cSettings: c, swiftSettings: common + swift)
  }

  static func program(
    _ name: String, uses: String, at path: String? = nil, without: String = "",
    swift: [SwiftSetting] = []
  ) -> Target {
    .executableTarget(
      name: name, dependencies: names(uses).map { .init(stringLiteral: $0) }, path: path,
      exclude: names(without), swiftSettings: common + swift)
  }

  static func tests(_ name: String, uses: String, without: String = "") -> Target {
    .testTarget(
      name: name, dependencies: names(uses).map { .init(stringLiteral: $0) },
      exclude: names(without), swiftSettings: common)
  }
}

let package = Package(
  name: "Interlock",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Interlock", targets: ["Interlock"]),
    .library(
      name: "InterlockStress", targets: ["InterlockStress", "Caches", "LockStrategies"]),
    .library(name: "InterlockWatchdog", targets: ["InterlockWatchdog"]),
    .library(name: "InterlockTesting", targets: ["InterlockTesting"]),
    .library(name: "InterlockMemory", targets: ["InterlockMemory"]),
    .executable(name: "interlock", targets: ["InterlockTool"]),
    .executable(name: "interlock-exam", targets: ["InterlockExam"]),
    .plugin(name: "InterlockCommand", targets: ["InterlockCommand"]),
  ],
  traits: [
    .trait(
      name: "SectionTracking",
      description: "Keep section tracking in release builds too; debug builds always have it."),
    .trait(
      name: "UnseenCalls",
      description:
        "Leave the calls that wait and wake as the C library and Dispatch have them, for 'interlock compare': no hang is explained then."
    ),
  ],
  targets: [
    // Marks: what an application links. First the table of open sections, and all else that the
    // begin and the end of a section execute. All Swift modules wait for this target, and SwiftPM
    // compiles what is ready in descending order of names: no other name of C comes before.
    .library("CMarks", c: trackingInC + [.unsafeFlags(["-O2"])]),
    // Sections run inside other people's debug builds: unoptimised, they cost ten times as much. Not
    // the whole module at once: SwiftPM passes '-incremental' in debug, and the driver prints a remark
    // where both are given. `FastPath.swift` is what must be inlined.
    .library(
      "SectionTable", uses: "CMarks",
      swift: tracking + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    .library("Interlock", uses: "SectionTable", swift: tracking),

    // What only the harness needs of C, functions of the C library defined anew among it: an
    // application that only marks sections never links it.
    .library("CInterlockHarness", c: [.unsafeFlags(["-O2"])]),
    // Interposes the calls that wait, wake and enqueue, and publishes their events. Without
    // outlined halves of functions, which would see their other half as their caller.
    .library(
      "CInterlockEvents", c: withinCalls("-fblocks", "-Xclang", "-fno-split-cold-code")),
    // Readers of the events: what each thread holds, waits for and runs, in which orders locks are
    // acquired, and what happens before what.
    .library("CInterlockAnalysis", uses: "CInterlockEvents CMarks", c: withinCalls()),

    // What the system says of a process: its threads, their stacks and symbols.
    .library("ProcessInspection", uses: "Interlock CInterlockEvents CInterlockHarness"),
    // A snapshot, its wait-for graph and the cause of a hang; the monitor, which takes the
    // snapshots and decides when to look.
    .library("Hangs", uses: "ProcessInspection CInterlockAnalysis"),
    // Formats what was found of a hang; both the watchdog and the reports link it.
    .library("HangReports", uses: "Hangs"),
    .library("Prediction", uses: "HangReports"),
    // What was found, as one value, and the formats that other programs read.
    .library("Findings", uses: "Prediction"),
    // In C because it must start before main.
    .library("CInterlockWatchdog", uses: "CMarks CInterlockHarness"),
    .library("InterlockWatchdog", uses: "Findings CInterlockWatchdog"),

    // Runs a body once for each order that a strategy chooses: logical threads, virtual time, and
    // the calls that they make.
    .library("CInterlockExplorer", uses: "CInterlockAnalysis", c: withinCalls("-fblocks")),
    // The outcome of an exploration, as values and text.
    .library("Explorer", uses: "Prediction CInterlockExplorer"),
    // `explore` and `stress` for tests.
    .library("InterlockTesting", uses: "Explorer InterlockWatchdog"),

    // The functions that code compiled with '-sanitize=thread' calls at each access of memory. The
    // toolchain's runtime has the same names, and is not linked.
    .library("CInterlockMemory", uses: "CUncheckedMemory CInterlockAnalysis", c: withinCalls()),
    // The same functions where nothing is checked, so that any build can be instrumented.
    .library("CUncheckedMemory"),
    // Starts the check of memory, and describes each race as a value.
    .library("MemoryCheck", uses: "CInterlockMemory ProcessInspection"),
    // Reports races in memory in any process that links it.
    .library("InterlockMemory", uses: "MemoryCheck Findings"),

    .library("LockStrategies", uses: "Interlock"),
    .library("Caches", uses: "LockStrategies"),
    .library("StressRunner", uses: "Findings MemoryCheck Explorer"),
    // What is measured of lock strategies and caches, and what the figures mean.
    .library("Comparison", uses: "StressRunner Caches"),
    .library("Reports", uses: "Comparison"),
    .library(
      "InterlockStress", uses: "Reports",
      // A link to `StressScenarios/caches`: any stress executable can replay them.
      resources: [.embedInCode("BuiltIn/Scenarios")]),
    // Not named as its product: on a file system without case it would be `Interlock`.
    .program("InterlockTool", uses: "InterlockStress"),
    .plugin(
      name: "InterlockCommand",
      capability: .command(
        intent: .custom(
          verb: "interlock", description: "Run 'interlock': doctor, explain, init and others."))),

    // Small programs that go wrong, or can, each with its correct twin. First their type: what each
    // does, and what must be found in it.
    .library("Programs", at: "Sources/SamplePrograms/Program"),
    // Swift calls no `dispatch_once`: that is C's.
    .library(
      "CSamplePrograms", at: "Sources/SamplePrograms/C", c: [.unsafeFlags(["-fblocks"])]),
    // Two modules in one folder: prediction judges code by modules, and a module that uses
    // Synchronization is undecided.
    .library(
      "PredictPrograms", uses: "Programs LockStrategies", at: "Sources/SamplePrograms",
      without: "C Detectors Hangs Memory Orders Program"),
    .library(
      "SamplePrograms", uses: "PredictPrograms CSamplePrograms", at: "Sources/SamplePrograms",
      without: "C Memory Orders Predict Program Races"),
    // Apart from the others: the user's code that is explored, without anything of this package
    // but their type.
    .library("OrderPrograms", uses: "Programs", at: "Sources/SamplePrograms/Orders"),
    // What races in memory are judged on. Instrumented, whatever else is built.
    .library("CMemoryPrograms", at: "Sources/SamplePrograms/Memory/C", c: instrumentedC),
    .library(
      "MemoryPrograms", uses: "Programs CMemoryPrograms", at: "Sources/SamplePrograms/Memory",
      without: "C", swift: instrumented),
    // Runs one of them, with and without the check of memory.
    .program("MemoryProgram", uses: "MemoryPrograms CInterlockMemory Interlock"),
    // Runs one of them without a harness: what detectors are compared on.
    .program("DetectorProgram", uses: "SamplePrograms OrderPrograms"),
    // Examines the detectors with them; apart from the tool, whose users need none.
    .program(
      "InterlockExam", uses: "InterlockStress SamplePrograms OrderPrograms MemoryPrograms"),

    // The costs of Interlock. No package of its own: it measures functions that only this package
    // can call. The other executables are built beside it, and not linked.
    .program(
      "Benchmarks", uses: "InterlockStress YardstickLocks YardstickMarks YardstickMemory",
      at: "ci/benchmarks/Benchmarks"),
    // Programs that 'bench sections' measures: locks where nothing of this package is linked, and
    // marks where Interlock alone is.
    .program("YardstickLocks", uses: "CUncheckedMemory", at: "ci/benchmarks/YardstickLocks"),
    .program(
      "YardstickMarks", uses: "CUncheckedMemory Interlock", at: "ci/benchmarks/YardstickMarks"),
    // The programs that 'bench memory' measures; the compiler alone builds it in other ways.
    .program(
      "YardstickMemory", uses: "CInterlockMemory Interlock", at: "ci/benchmarks/YardstickMemory",
      swift: instrumented),

    // What several test targets share.
    .library("TestSupport", uses: "Hangs", at: "Tests/TestSupport"),
    .library("InterlockTestsC", uses: "Interlock", at: "Tests/InterlockTestsC"),
    // Tracked properties in another module than the tests that access them.
    .library("TrackedModel", uses: "Interlock", at: "Tests/TrackedModel"),
    .tests("InterlockTests", uses: "InterlockTestsC TrackedModel TestSupport"),
    // Subjects that really hang, trap or eat memory: what the runner's tests start as children.
    .library("StressRunnerTestC", at: "Tests/StressRunnerTestC"),
    .program(
      "StressRunnerTestChild", uses: "Reports StressRunnerTestC",
      at: "Tests/StressRunnerTestChild"),
    .tests("StressRunnerTests", uses: "StressRunnerTestChild TestSupport"),
    // Bodies that are explored, each in a process of its own: many end in a deadlock or a trap.
    .program("ExplorerTestChild", uses: "Explorer OrderPrograms", at: "Tests/ExplorerTestChild"),
    // The tracker's own sources, which links lead to, with atomics that are points: its algorithm
    // is explored, a hundred thousand orders in a test. They import a module for a type that stands
    // here instead. No test target depends on it: its functions for C would be linked into the tests
    // beside those of Interlock.
    .library(
      "ExploredTable", uses: "CInterlockExplorer", at: "Tests/ExploredTracker/Table",
      without: "SectionTable/Platform/Guarded.swift",
      swift: [
        .define("INTERLOCK_TRACKING"), .define("INTERLOCK_EXPLORES_ITSELF"),
        .unsafeFlags(["-O", "-suppress-warnings"]),
      ]),
    .program(
      "ExploredTracker", uses: "ExploredTable", at: "Tests/ExploredTracker",
      without: "Interlock/Interlock.docc Table",
      swift: [
        .define("INTERLOCK_TRACKING"),
        .unsafeFlags(["-module-alias", "SectionTable=ExploredTable"]),
      ]),
    // An interpreter of small programs, which strategies are tested on: optimised, since a test
    // runs millions of executions.
    .library(
      "StrategyTestsC", uses: "CInterlockExplorer", at: "Tests/StrategyTestsC",
      c: [.unsafeFlags(["-O2"])]),
    .tests("ExplorerTests", uses: "ExplorerTestChild StrategyTestsC TestSupport"),
    .tests("WaitForGraphTests", uses: "HangReports TestSupport", without: "Goldens"),
    // What needs a process of its own: it hangs, forks, or counts its memory.
    .library(
      "SyncEventsTestC", uses: "CInterlockAnalysis CInterlockHarness",
      at: "Tests/SyncEventsTestC", c: [.unsafeFlags(["-fblocks"])]),
    .program(
      "SyncEventsTestChild", uses: "InterlockWatchdog SyncEventsTestC",
      at: "Tests/SyncEventsTestChild"),
    .tests("SyncEventsTests", uses: "SyncEventsTestChild TestSupport"),
    // Tests that hang, that stress or are watched, and whose memory is checked, as a test process
    // runs them. No test target depends on them: their tests would be linked into the bundle of the
    // package's own tests, and run there.
    .program("HangingTests", uses: "InterlockWatchdog", at: "Tests/HangingTests"),
    .program("WatchedTests", uses: "InterlockTesting", at: "Tests/WatchedTests"),
    .program(
      "CheckedTests",
      uses: "MemoryTestC OptimizedCheckedAtomics InterlockTesting InterlockMemory",
      at: "Tests/CheckedTests", swift: instrumented),
    // A file of CheckedTests, optimised.
    .library(
      "OptimizedCheckedAtomics", at: "Tests/CheckedAtomics",
      swift: instrumented + [.unsafeFlags(["-O"])]),
    // Numbered, with one idea a file. A test runs each, and compares its output with its header.
    .program("Samples", uses: "InterlockTesting", at: "Tests/Samples"),
    // Programs that race, each with its correct twin, in C that is compiled as a user's would be:
    // the functions that it calls are those of CInterlockMemory.
    .library(
      "MemoryTestC", at: "Tests/MemoryTestC", c: instrumentedC + [.unsafeFlags(["-O1"])]),
    // Not instrumented. Its name comes first, so that the linker chooses its copies of functions.
    .library("ForeignMutex", at: "Tests/ForeignMutex"),
    .program(
      "MemoryTestChild", uses: "MemoryCheck MemoryTestC ForeignMutex Prediction",
      at: "Tests/MemoryTestChild", swift: instrumented),
    .tests("MemoryTests", uses: "MemoryTestChild MemoryProgram TestSupport"),
    // Modules whose names make symbols abbreviate the names of Synchronization and of each other.
    .library("SynchronizationFlags", at: "Tests/SynchronizationFlags"),
    .library(
      "SynchronizationFlagsUsers", uses: "SynchronizationFlags",
      at: "Tests/SynchronizationFlagsUsers"),
    .library("AtomicMutexes", at: "Tests/AtomicMutexes"),
    // Atomics, and a Mutex, in local variables.
    .library("LocalAtomics", at: "Tests/LocalAtomics"),
    .library("StackAtomics", at: "Tests/StackAtomics"),
    .library(
      "OptimizedAtomics", at: "Tests/OptimizedAtomics", swift: [.unsafeFlags(["-O"])]),
    .library(
      "OptimizedMutexes", at: "Tests/OptimizedMutexes", swift: [.unsafeFlags(["-O"])]),
    .tests(
      "PredictionTests",
      uses: "Prediction SynchronizationFlagsUsers AtomicMutexes LocalAtomics StackAtomics"
        + " OptimizedAtomics OptimizedMutexes"),
    .tests("InterlockTestingTests", uses: "InterlockTesting TrackedModel TestSupport"),
    .tests("ComparisonTests", uses: "Comparison TestSupport"),
    .tests("ReportsTests", uses: "Reports TestSupport", without: "Goldens"),
    // The readers of files and texts, as fuzzers call them.
    .library("FuzzedReaders", uses: "InterlockStress", at: "Tests/FuzzedReaders", without: "Seeds"),
    // The example of the article GatingYourType, also a package of its own, which
    // ci/checks/fixtures.sh builds.
    .program(
      "OwnCacheStress", uses: "InterlockStress", at: "Tests/OwnCache/Sources/OwnCacheStress"),
    .tests(
      "InterlockStressTests",
      uses: "InterlockTool InterlockExam DetectorProgram FuzzedReaders TestSupport",
      without: "Goldens"),
  ]
)

// The targets of ci/checks/fuzz.sh: libFuzzer's driver exists only if '-sanitize=fuzzer' links it.
if Context.environment["INTERLOCK_FUZZ"] != nil {
  package.targets += [
    .library("FuzzDriver", at: "Tests/FuzzDriver"),
    .program("Fuzz", uses: "FuzzedReaders FuzzDriver", at: "Tests/Fuzz"),
  ]
}

// `INTERLOCK_TESTS="A B …"` keeps only these of the targets below `Tests`: a build that runs few of
// them, as ci/checks/thread-sanitizer.sh does, need not compile the rest.
if let named = Context.environment["INTERLOCK_TESTS"] {
  let kept = Set(named.split(separator: " ").map(String.init))
  package.targets.removeAll { target in
    let isBelowTests = target.isTest || target.path?.hasPrefix("Tests/") == true
    return isBelowTests && !kept.contains(target.name)
  }
}
