// swift-tools-version: 6.2

import PackageDescription

/// The settings of every Swift target.
let common: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  // Do not index the modules of system libraries: each first importer of one would index it again.
  .unsafeFlags(["-index-ignore-system-modules"], .when(configuration: .debug)),
  // Warns if type checking a function takes longer than 15 s (the number is in ms): one expression
  // can take half a minute, and nothing else shows it. On a busy machine the macros of a test take
  // 4 s.
  .unsafeFlags(["-Xfrontend", "-warn-long-function-bodies=15000"], .when(configuration: .debug)),
]

/// Compiles section tracking into debug builds, and with the trait into release builds too.
let tracking: [SwiftSetting] = [
  .define("INTERLOCK_TRACKING", .when(configuration: .debug)),
  .define("INTERLOCK_TRACKING", .when(traits: ["SectionTracking"])),
]

/// `tracking` for C.
let trackingInC: [CSetting] = [
  .define("INTERLOCK_TRACKING", .when(configuration: .debug)),
  .define("INTERLOCK_TRACKING", .when(traits: ["SectionTracking"])),
]

/// The settings of C code that runs within calls of a user's program: optimised in debug builds
/// too. The trait UnseenCalls leaves out every interposed call. A function that only jumps on to
/// the real one needs no frame.
func withinCalls(_ flags: String...) -> [CSetting] {
  [
    .unsafeFlags(["-O2", "-momit-leaf-frame-pointer"] + flags),
    .define("INTERLOCK_UNSEEN_CALLS", .when(traits: ["UnseenCalls"])),
  ]
}

/// Makes the compiler insert a function call at each memory access. The linker does not get
/// '-sanitize=thread', so CInterlockMemory or CUncheckedMemory provides the functions.
let instrumented: [SwiftSetting] = [.unsafeFlags(["-Xfrontend", "-sanitize=thread"])]
let instrumentedC: [CSetting] = [.unsafeFlags(["-fsanitize=thread"])]

/// Splits a text into names at its spaces.
func names(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

/// `uses` names the targets that a target uses directly; the targets that these use come with them.
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
    // The marks, which an application links. CMarks has the table of open sections, and all other C
    // code that the begin and the end of a section execute. All Swift modules wait for this target.
    // SwiftPM compiles ready targets in descending order of names: a later name starts them sooner.
    .library("CMarks", c: trackingInC + [.unsafeFlags(["-O2"])]),
    // Optimised in debug builds too: sections run inside users' debug builds, and unoptimised they
    // cost ten times as much. Without whole-module optimisation: SwiftPM passes '-incremental' in
    // debug, and the driver prints a remark if both are given. `FastPath.swift` has the code that
    // must be inlined.
    .library(
      "SectionTable", uses: "CMarks",
      swift: tracking + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    .library("Interlock", uses: "SectionTable", swift: tracking),

    // The C code that only the harness needs; it redefines functions of the C library. An
    // application that only marks sections never links it.
    .library("CInterlockHarness", c: [.unsafeFlags(["-O2"])]),
    // Interposes the calls that wait, wake and enqueue, and publishes their events.
    // `-fno-split-cold-code`: a function's outlined half would see the other half as its caller.
    .library(
      "CInterlockEvents", c: withinCalls("-fblocks", "-Xclang", "-fno-split-cold-code")),
    // Readers of the events: what each thread holds, waits for and runs, in which orders locks are
    // acquired, and what happens before what.
    .library("CInterlockAnalysis", uses: "CInterlockEvents CMarks", c: withinCalls()),

    // Reads a process's threads, their stacks and symbols from the system.
    .library("ProcessInspection", uses: "Interlock CInterlockEvents CInterlockHarness"),
    // A snapshot, its wait-for graph and the cause of a hang; the monitor, which takes the
    // snapshots and decides when to look.
    .library("Hangs", uses: "ProcessInspection CInterlockAnalysis"),
    // Formats the diagnosis of a hang; both the watchdog and the reports link it.
    .library("HangReports", uses: "Hangs"),
    .library("Prediction", uses: "HangReports"),
    // Every finding as a value of one type, and the formats that other programs read.
    .library("Findings", uses: "Prediction"),
    // In C because it must start before main.
    .library("CInterlockWatchdog", uses: "CMarks CInterlockHarness"),
    .library("InterlockWatchdog", uses: "Findings CInterlockWatchdog"),

    // Runs a body once for each order that a strategy chooses: it provides logical threads, virtual
    // time, and the calls that the body makes.
    .library("CInterlockExplorer", uses: "CInterlockAnalysis", c: withinCalls("-fblocks")),
    // The outcome of an exploration, as values and text.
    .library("Explorer", uses: "Prediction CInterlockExplorer"),
    // `explore` and `stress` for tests.
    .library("InterlockTesting", uses: "Explorer InterlockWatchdog"),

    // The functions that code compiled with '-sanitize=thread' calls at each memory access. They
    // have the names of the toolchain's runtime, which is not linked.
    .library("CInterlockMemory", uses: "CUncheckedMemory CInterlockAnalysis", c: withinCalls()),
    // The same functions without any check, so that any build can be instrumented.
    .library("CUncheckedMemory"),
    // Starts the memory check, and describes each race as a value.
    .library("MemoryCheck", uses: "CInterlockMemory ProcessInspection"),
    // Reports races in memory in any process that links it.
    .library("InterlockMemory", uses: "MemoryCheck Findings"),

    .library("LockStrategies", uses: "Interlock"),
    .library("Caches", uses: "LockStrategies"),
    .library("StressRunner", uses: "Findings MemoryCheck Explorer"),
    // Measures lock strategies and caches, and interprets the figures.
    .library("Comparison", uses: "StressRunner Caches"),
    .library("Reports", uses: "Comparison"),
    .library(
      "InterlockStress", uses: "Reports",
      // `Scenarios` links to `StressScenarios/caches`: any stress executable can replay these
      // files.
      resources: [.embedInCode("BuiltIn/Scenarios")]),
    // Not named like its product `interlock`: a case-insensitive file system takes that for
    // `Interlock`.
    .program("InterlockTool", uses: "InterlockStress"),
    .plugin(
      name: "InterlockCommand",
      capability: .command(
        intent: .custom(
          verb: "interlock", description: "Run 'interlock': doctor, explain, init and others."))),

    // Small programs that go wrong, or can, each with its correct twin. `Programs` has their type,
    // which states what a program does and what must be found in it.
    .library("Programs", at: "Sources/SamplePrograms/Program"),
    // In C: Swift cannot call `dispatch_once`.
    .library(
      "CSamplePrograms", at: "Sources/SamplePrograms/C", c: [.unsafeFlags(["-fblocks"])]),
    // Two modules from one folder: prediction judges whole modules, and leaves a race undecided in
    // a module that uses Synchronization.
    .library(
      "PredictPrograms", uses: "Programs LockStrategies", at: "Sources/SamplePrograms",
      without: "C Detectors Hangs Memory Orders Program"),
    .library(
      "SamplePrograms", uses: "PredictPrograms CSamplePrograms", at: "Sources/SamplePrograms",
      without: "C Memory Orders Predict Program Races"),
    // A module of its own: explored as a user's code, it uses nothing of this package but
    // `Programs`.
    .library("OrderPrograms", uses: "Programs", at: "Sources/SamplePrograms/Orders"),
    // The programs on which the memory check is judged; instrumented in every build.
    .library("CMemoryPrograms", at: "Sources/SamplePrograms/Memory/C", c: instrumentedC),
    .library(
      "MemoryPrograms", uses: "Programs CMemoryPrograms", at: "Sources/SamplePrograms/Memory",
      without: "C", swift: instrumented),
    // Runs one of the memory programs, with or without the memory check.
    .program("MemoryProgram", uses: "MemoryPrograms CInterlockMemory Interlock"),
    // Runs one of the other programs without a harness, to compare detectors.
    .program("DetectorProgram", uses: "SamplePrograms OrderPrograms"),
    // Examines the detectors with the programs; apart from the tool, whose users need no programs.
    .program(
      "InterlockExam", uses: "InterlockStress SamplePrograms OrderPrograms MemoryPrograms"),

    // Measures the costs of Interlock. Not a package of its own, because it measures functions of
    // package access. The Yardstick executables are built beside it, and not linked into it.
    .program(
      "Benchmarks", uses: "InterlockStress YardstickLocks YardstickMarks YardstickMemory",
      at: "ci/benchmarks/Benchmarks"),
    // Programs that 'bench sections' measures: locks in a program without Interlock, and marks in a
    // program that links Interlock alone.
    .program("YardstickLocks", uses: "CUncheckedMemory", at: "ci/benchmarks/YardstickLocks"),
    .program(
      "YardstickMarks", uses: "CUncheckedMemory Interlock", at: "ci/benchmarks/YardstickMarks"),
    // The programs that 'bench memory' measures; the bench has the compiler build the file in other
    // ways too.
    .program(
      "YardstickMemory", uses: "CInterlockMemory Interlock", at: "ci/benchmarks/YardstickMemory",
      swift: instrumented),

    // Helpers that several test targets share.
    .library("TestSupport", uses: "Hangs", at: "Tests/TestSupport"),
    .library("InterlockTestsC", uses: "Interlock", at: "Tests/InterlockTestsC"),
    // Tracked properties in another module than that of the tests that access them.
    .library("TrackedModel", uses: "Interlock", at: "Tests/TrackedModel"),
    .tests("InterlockTests", uses: "InterlockTestsC TrackedModel TestSupport"),
    // Subjects that really hang, trap or eat memory; the runner's tests start them as children.
    .library("StressRunnerTestC", at: "Tests/StressRunnerTestC"),
    .program(
      "StressRunnerTestChild", uses: "Reports StressRunnerTestC",
      at: "Tests/StressRunnerTestChild"),
    .tests("StressRunnerTests", uses: "StressRunnerTestChild TestSupport"),
    // Bodies that are explored, each in a process of its own: many end in a deadlock or a trap.
    .program("ExplorerTestChild", uses: "Explorer OrderPrograms", at: "Tests/ExplorerTestChild"),
    // The tracker's own sources, through symbolic links, with atomics that are scheduling points: a
    // test explores a hundred thousand orders of the tracker's algorithm. The sources import
    // Synchronization for `Atomic`, which a type of this target replaces. No test target depends on
    // this target: its C functions would be linked into the tests beside those of Interlock.
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
    // An interpreter of small programs, on which strategies are tested; optimised, because a test
    // runs millions of executions.
    .library(
      "StrategyTestsC", uses: "CInterlockExplorer", at: "Tests/StrategyTestsC",
      c: [.unsafeFlags(["-O2"])]),
    .tests("ExplorerTests", uses: "ExplorerTestChild StrategyTestsC TestSupport"),
    .tests("WaitForGraphTests", uses: "HangReports TestSupport", without: "Goldens"),
    // Code that needs a process of its own, because it hangs, forks, or counts its memory.
    .library(
      "SyncEventsTestC", uses: "CInterlockAnalysis CInterlockHarness",
      at: "Tests/SyncEventsTestC", c: [.unsafeFlags(["-fblocks"])]),
    .program(
      "SyncEventsTestChild", uses: "InterlockWatchdog SyncEventsTestC",
      at: "Tests/SyncEventsTestChild"),
    .tests("SyncEventsTests", uses: "SyncEventsTestChild TestSupport"),
    // Programs that run tests as a test process does: tests that hang, tests that are watched or
    // stressed, and tests whose memory is checked. No test target depends on these programs: their
    // tests would be linked into the bundle of the package's own tests, and run there.
    .program("HangingTests", uses: "InterlockWatchdog", at: "Tests/HangingTests"),
    .program("WatchedTests", uses: "InterlockTesting", at: "Tests/WatchedTests"),
    .program(
      "CheckedTests",
      uses: "MemoryTestC OptimizedCheckedAtomics InterlockTesting InterlockMemory",
      at: "Tests/CheckedTests", swift: instrumented),
    // A file of CheckedTests, compiled with optimisation.
    .library(
      "OptimizedCheckedAtomics", at: "Tests/CheckedAtomics",
      swift: instrumented + [.unsafeFlags(["-O"])]),
    // Numbered samples, one idea a file. A test runs each sample, and compares its output with its
    // header.
    .program("Samples", uses: "InterlockTesting", at: "Tests/Samples"),
    // Programs that race, each with its correct twin, in C compiled as a user's: they call the
    // functions of CInterlockMemory.
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

// `INTERLOCK_TESTS="A B …"` keeps only the named targets of those below `Tests`: a build that runs
// few of them, as ci/checks/thread-sanitizer.sh does, need not compile the rest.
if let named = Context.environment["INTERLOCK_TESTS"] {
  let kept = Set(named.split(separator: " ").map(String.init))
  package.targets.removeAll { target in
    let isBelowTests = target.isTest || target.path?.hasPrefix("Tests/") == true
    return isBelowTests && !kept.contains(target.name)
  }
}
