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

/// No call is interposed, and so none is analysed.
let unseenCalls: CSetting = .define("INTERLOCK_UNSEEN_CALLS", .when(traits: ["UnseenCalls"]))

/// Calls a function at each access of memory: those of CInterlockMemory, because this is no
/// '-sanitize=thread' of the linker.
let instrumented: SwiftSetting = .unsafeFlags(["-Xfrontend", "-sanitize=thread"])

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
    .target(name: "CInterlock", cSettings: trackingInC + [.unsafeFlags(["-O2"])]),
    // The table of open sections, and all else that the begin and the end of a section execute.
    .target(
      name: "SectionTable",
      dependencies: ["CInterlock"],
      swiftSettings: tracking + [
        // It runs inside other people's debug builds: unoptimised, it costs ten times as much. Not
        // the whole module at once: SwiftPM passes '-incremental' in debug, and the driver prints a
        // remark where both are given. `FastPath.swift` is what must be inlined.
        .unsafeFlags(["-O"], .when(configuration: .debug))
      ]),
    .target(
      name: "Interlock", dependencies: ["SectionTable", "CInterlock"], swiftSettings: tracking),
    .target(name: "LockStrategies", dependencies: ["Interlock"]),
    .target(name: "Caches", dependencies: ["LockStrategies", "Interlock"]),
    // What only the harness needs of C, functions of the C library defined anew among it: an
    // application that only marks sections never links it.
    .target(name: "CInterlockHarness", cSettings: [.unsafeFlags(["-O2"])]),
    // Interposes the calls that wait, wake and enqueue, and publishes their events: only the
    // harness and the watchdog link it.
    .target(
      name: "CInterlockEvents",
      cSettings: [
        // An outlined half of a function would see its other half as its caller.
        .unsafeFlags([
          "-O2", "-fblocks", "-Xclang", "-fno-split-cold-code",
          // A call that only jumps on to the real one needs no frame.
          "-momit-leaf-frame-pointer",
        ]),
        unseenCalls,
      ]),
    // Readers of the events: what each thread holds, waits for and runs, in which orders locks are
    // acquired, and what happens before what.
    .target(
      name: "CInterlockAnalysis", dependencies: ["CInterlockEvents", "CInterlock"],
      cSettings: [.unsafeFlags(["-O2", "-momit-leaf-frame-pointer"]), unseenCalls]),
    // The functions that code compiled with '-sanitize=thread' calls at each access of memory. The
    // toolchain's runtime has the same names, and is not linked.
    .target(
      name: "CInterlockMemory",
      dependencies: ["CUncheckedMemory", "CInterlockAnalysis", "CInterlockEvents", "CInterlock"],
      cSettings: [.unsafeFlags(["-O2", "-momit-leaf-frame-pointer"]), unseenCalls]),
    // The same functions where nothing is checked, so that any build can be instrumented.
    .target(name: "CUncheckedMemory"),
    // Starts the check of memory, and describes each race as a value.
    .target(
      name: "MemoryCheck", dependencies: ["CInterlockMemory", "ProcessInspection", "Interlock"]),
    // Reports races in memory in any process that links it.
    .target(
      name: "InterlockMemory",
      dependencies: ["MemoryCheck", "CInterlockMemory", "Findings", "Interlock", "CInterlock"]),
    // Runs a body once for each order that a strategy chooses: logical threads, virtual time, and the
    // calls that they make.
    .target(
      name: "CInterlockExplorer",
      dependencies: ["CInterlockAnalysis", "CInterlockEvents", "CInterlock"],
      cSettings: [.unsafeFlags(["-O2", "-momit-leaf-frame-pointer", "-fblocks"]), unseenCalls]),
    // What came of the orders of a body, as values and text.
    .target(
      name: "Explorer",
      dependencies: [
        "Prediction", "HangDetection", "HangReports", "WaitForGraph", "ProcessInspection",
        "Interlock", "CInterlockExplorer", "CInterlockAnalysis",
      ]),
    // `explore` and `stress` for tests.
    .target(
      name: "InterlockTesting",
      dependencies: [
        "Explorer", "Findings", "InterlockWatchdog", "Prediction", "ProcessInspection", "Interlock",
        "CInterlockAnalysis", "CInterlockEvents",
      ]),
    .target(
      name: "Prediction",
      dependencies: [
        "HangReports", "WaitForGraph", "ProcessInspection", "Interlock", "CInterlock",
        "CInterlockAnalysis", "CInterlockEvents",
      ]),
    // What the system says of a process: its threads, their stacks and symbols.
    .target(
      name: "ProcessInspection",
      dependencies: ["Interlock", "CInterlock", "CInterlockEvents", "CInterlockHarness"]),
    // Pure: a snapshot, its wait-for graph, and the cause of a hang.
    .target(name: "WaitForGraph", dependencies: ["ProcessInspection", "Interlock"]),
    // Formats what was found of a hang; both the watchdog and the reports link it.
    .target(name: "HangReports", dependencies: ["WaitForGraph", "ProcessInspection", "Interlock"]),
    // Takes the snapshots and decides when to look; the watchdog and the runner link it.
    .target(
      name: "HangDetection",
      dependencies: [
        "WaitForGraph", "ProcessInspection", "Interlock", "CInterlock", "CInterlockAnalysis",
        "CInterlockEvents", "CInterlockHarness",
      ]),
    // In C because it must start before main.
    .target(name: "CInterlockWatchdog", dependencies: ["CInterlock", "CInterlockHarness"]),
    .target(
      name: "InterlockWatchdog",
      dependencies: [
        "Findings", "Prediction", "HangDetection", "HangReports", "WaitForGraph",
        "ProcessInspection", "Interlock", "CInterlock", "CInterlockAnalysis", "CInterlockEvents",
        "CInterlockHarness", "CInterlockWatchdog",
      ]),
    // JSON that keeps lines and the order of members, read and written.
    .target(name: "JSONText"),
    // What was found, as one value, and the formats that other programs read.
    .target(
      name: "Findings",
      dependencies: [
        "JSONText", "Prediction", "HangReports", "WaitForGraph", "ProcessInspection", "Interlock",
      ]),
    .target(
      name: "StressRunner",
      dependencies: [
        "JSONText", "MemoryCheck", "Explorer", "Prediction", "HangDetection", "WaitForGraph",
        "ProcessInspection", "Interlock", "CInterlockHarness",
      ]),
    // What is measured of lock strategies and caches, and what the figures mean.
    .target(
      name: "Comparison",
      dependencies: [
        "StressRunner", "LockStrategies", "Caches", "ProcessInspection", "Interlock",
        "CInterlockHarness",
      ]),
    .target(
      name: "Reports",
      dependencies: [
        "Findings", "JSONText", "StressRunner", "Comparison", "Explorer", "Prediction",
        "HangReports", "WaitForGraph", "ProcessInspection", "Interlock",
      ]),
    .target(
      name: "InterlockStress",
      dependencies: [
        "Findings", "HangReports", "JSONText", "StressRunner", "MemoryCheck", "Explorer",
        "WaitForGraph",
        "Comparison", "Reports", "Caches",
        "LockStrategies", "Interlock", "CInterlockEvents", "CInterlockHarness",
      ],
      // A link to `StressScenarios/caches`: any stress executable can replay them.
      resources: [.embedInCode("BuiltIn/Scenarios")]),
    // The type of the small programs: what each does, and what must be found in it.
    .target(name: "Programs", path: "Sources/SamplePrograms/Program"),
    // Small programs that go wrong, or can, each with its correct twin. Swift calls no
    // `dispatch_once`: that is C's.
    .target(
      name: "CSamplePrograms", path: "Sources/SamplePrograms/C",
      cSettings: [.unsafeFlags(["-fblocks"])]),
    // Two modules in one folder: prediction judges code by modules, and a module that uses
    // Synchronization is undecided.
    .target(
      name: "PredictPrograms", dependencies: ["Programs", "LockStrategies", "Interlock"],
      path: "Sources/SamplePrograms",
      exclude: ["C", "Detectors", "Hangs", "Memory", "Orders", "Program"]),
    .target(
      name: "SamplePrograms",
      dependencies: [
        "Programs", "PredictPrograms", "CSamplePrograms", "LockStrategies", "Interlock",
      ], path: "Sources/SamplePrograms",
      exclude: ["C", "Memory", "Orders", "Predict", "Program", "Races"]),
    // Apart from the others: the user's code that is explored, without anything of this package
    // but their type.
    .target(
      name: "OrderPrograms", dependencies: ["Programs"], path: "Sources/SamplePrograms/Orders"),
    // What races in memory are judged on. Instrumented, whatever else is built.
    .target(
      name: "CMemoryPrograms", path: "Sources/SamplePrograms/Memory/C",
      cSettings: [.unsafeFlags(["-fsanitize=thread"])]),
    .target(
      name: "MemoryPrograms", dependencies: ["Programs", "CMemoryPrograms"],
      path: "Sources/SamplePrograms/Memory", exclude: ["C"], swiftSettings: [instrumented]),
    // Runs one of them, with and without the check of memory.
    .executableTarget(
      name: "MemoryProgram",
      dependencies: ["Programs", "MemoryPrograms", "CInterlockMemory", "Interlock"]),
    // Runs one of them without a harness: what detectors are compared on.
    .executableTarget(
      name: "DetectorProgram",
      dependencies: ["Programs", "SamplePrograms", "PredictPrograms", "OrderPrograms"]),
    // What 'interlock bench sections' measures, each in a program of its own: locks where nothing
    // of this package is linked, and marks where Interlock alone is.
    .executableTarget(name: "YardstickLocks", dependencies: ["CUncheckedMemory"]),
    .executableTarget(name: "YardstickMarks", dependencies: ["CUncheckedMemory", "Interlock"]),
    // What 'interlock bench memory' measures; the compiler alone builds it in other ways.
    .executableTarget(
      name: "YardstickMemory", dependencies: ["CInterlockMemory", "Interlock"],
      swiftSettings: [instrumented]),
    // Not named as its product: on a file system without case it would be `Interlock`.
    .executableTarget(
      name: "InterlockTool",
      dependencies: [
        "InterlockStress", "Reports", "StressRunner", "Comparison", "Prediction",
        "Caches", "LockStrategies", "ProcessInspection",
        "Interlock", "CInterlockHarness", "CInterlockAnalysis", "CInterlockEvents",
        "Explorer", "CInterlockExplorer",
        // Executables: they are built beside it, and not linked.
        "YardstickLocks", "YardstickMarks", "YardstickMemory",
      ]),
    // Examines the detectors with the sample programs; apart from the tool, whose users need none.
    .executableTarget(
      name: "InterlockExam",
      dependencies: [
        "InterlockStress", "StressRunner", "Prediction", "WaitForGraph", "Programs",
        "SamplePrograms", "PredictPrograms", "OrderPrograms", "MemoryPrograms", "LockStrategies",
        "Interlock", "CInterlockAnalysis",
      ]),
    .plugin(
      name: "InterlockCommand",
      capability: .command(
        intent: .custom(
          verb: "interlock", description: "Run 'interlock': doctor, explain, init and others."))),
    // What several test targets share.
    .target(name: "TestSupport", dependencies: ["WaitForGraph"], path: "Tests/TestSupport"),
    .target(
      name: "InterlockTestsC", dependencies: ["CInterlock", "Interlock"],
      path: "Tests/InterlockTestsC"),
    // Tracked properties in another module than the tests that access them.
    .target(name: "TrackedModel", dependencies: ["Interlock"], path: "Tests/TrackedModel"),
    .testTarget(
      name: "InterlockTests",
      dependencies: [
        "Interlock", "SectionTable", "CInterlock", "InterlockTestsC", "TrackedModel",
        "TestSupport",
      ]),
    .testTarget(
      name: "CachesTests", dependencies: ["Comparison", "Caches", "LockStrategies", "Interlock"]),
    // Subjects that really hang, trap or eat memory: what the runner's tests start as children.
    .target(name: "StressRunnerTestC", path: "Tests/StressRunnerTestC"),
    .executableTarget(
      name: "StressRunnerTestChild",
      dependencies: ["Reports", "StressRunner", "Interlock", "StressRunnerTestC"],
      path: "Tests/StressRunnerTestChild"),
    // Bodies that are explored, each in a process of its own: many end in a deadlock or a trap.
    .executableTarget(
      name: "ExplorerTestChild",
      dependencies: [
        "Explorer", "Programs", "OrderPrograms", "CInterlockExplorer", "CInterlockAnalysis",
        "CInterlockEvents", "Interlock",
      ], path: "Tests/ExplorerTestChild"),
    // The tracker's own sources, which links lead to, with atomics that are points: its algorithm
    // is explored. No test target depends on it: its functions for C would be linked into the tests
    // beside those of Interlock.
    .target(
      name: "ExploredTable",
      dependencies: ["CInterlockExplorer", "CInterlockEvents", "CInterlock"],
      path: "Tests/ExploredTracker/Table", exclude: ["SectionTable/Platform/Guarded.swift"],
      swiftSettings: [
        .define("INTERLOCK_TRACKING"), .define("INTERLOCK_EXPLORES_ITSELF"),
        // A test explores a hundred thousand orders; and the sources import a module for a type
        // that stands here instead.
        .unsafeFlags(["-O", "-suppress-warnings"]),
      ]),
    .executableTarget(
      name: "ExploredTracker",
      dependencies: ["ExploredTable", "CInterlockExplorer", "CInterlockEvents", "CInterlock"],
      path: "Tests/ExploredTracker", exclude: ["Interlock/Interlock.docc", "Table"],
      swiftSettings: [
        .define("INTERLOCK_TRACKING"),
        .unsafeFlags(["-module-alias", "SectionTable=ExploredTable"]),
      ]),
    .testTarget(
      name: "ExplorerTests",
      dependencies: [
        "Explorer", "CInterlockExplorer", "CInterlockEvents", "Programs", "OrderPrograms",
        "ExplorerTestChild", "TestSupport",
      ]),
    // An interpreter of small programs, which strategies are tested on: optimised, since a test runs
    // millions of executions.
    .target(
      name: "StrategyTestsC", dependencies: ["CInterlockExplorer"], path: "Tests/StrategyTestsC",
      cSettings: [.unsafeFlags(["-O2"])]),
    .testTarget(name: "StrategyTests", dependencies: ["StrategyTestsC", "CInterlockExplorer"]),
    .testTarget(
      name: "WaitForGraphTests",
      dependencies: ["HangReports", "WaitForGraph", "Interlock", "TestSupport"],
      exclude: ["Goldens"]),
    // What needs a process of its own: it hangs, forks, or counts its memory.
    .target(
      name: "SyncEventsTestC",
      dependencies: ["CInterlockAnalysis", "CInterlockEvents", "CInterlockHarness", "CInterlock"],
      path: "Tests/SyncEventsTestC", cSettings: [.unsafeFlags(["-fblocks"])]),
    .executableTarget(
      name: "SyncEventsTestChild",
      dependencies: [
        "InterlockWatchdog", "HangDetection", "WaitForGraph", "ProcessInspection", "Interlock",
        "CInterlockAnalysis", "CInterlockEvents", "SyncEventsTestC",
      ], path: "Tests/SyncEventsTestChild"),
    // Tests that hang, as a test process runs them. No test target depends on it: its tests would
    // be linked into the bundle of the package's own tests, and run there.
    .executableTarget(
      name: "HangingTests", dependencies: ["InterlockWatchdog"], path: "Tests/HangingTests"),
    // Tests that stress or are watched, as a test process runs them; apart from the package's own,
    // as those that hang.
    .executableTarget(
      name: "WatchedTests", dependencies: ["InterlockTesting", "Interlock"],
      path: "Tests/WatchedTests"),
    // Tests whose memory is checked, as a test process runs them.
    .executableTarget(
      name: "CheckedTests",
      dependencies: [
        "MemoryTestC", "InterlockTesting", "InterlockMemory", "CInterlockMemory", "Interlock",
        "Explorer",
      ], path: "Tests/CheckedTests", swiftSettings: [instrumented]),
    // Numbered, with one idea a file. A test runs each, and compares its output with its header.
    .executableTarget(
      name: "Samples", dependencies: ["InterlockTesting", "Interlock"], path: "Tests/Samples"),
    .testTarget(
      name: "SyncEventsTests",
      dependencies: [
        "HangDetection", "WaitForGraph", "ProcessInspection", "Interlock", "CInterlockAnalysis",
        "CInterlockEvents", "CInterlockHarness", "SyncEventsTestC", "SyncEventsTestChild",
        "TestSupport",
      ]),
    // Programs that race, each with its correct twin, in C that is compiled as a user's would be:
    // the functions that it calls are those of CInterlockMemory.
    .target(
      name: "MemoryTestC", path: "Tests/MemoryTestC",
      cSettings: [.unsafeFlags(["-fsanitize=thread", "-O1"])]),
    // Not instrumented. Its name comes first, so that the linker chooses its copies of functions.
    .target(name: "ForeignMutex", path: "Tests/ForeignMutex"),
    .executableTarget(
      name: "MemoryTestChild",
      dependencies: [
        "MemoryCheck", "CInterlockMemory", "MemoryTestC", "ForeignMutex", "Prediction", "Interlock",
      ], path: "Tests/MemoryTestChild", swiftSettings: [instrumented]),
    .testTarget(
      name: "MemoryTests", dependencies: ["MemoryTestChild", "MemoryProgram", "TestSupport"]),
    .testTarget(
      name: "PredictionTests",
      dependencies: [
        "Prediction", "CInterlockAnalysis", "CInterlockEvents", "ProcessInspection", "Interlock",
      ]),
    .testTarget(
      name: "StressRunnerTests",
      dependencies: [
        "JSONText", "Reports", "StressRunner", "Explorer", "Prediction", "WaitForGraph",
        "ProcessInspection", "Interlock", "CInterlockHarness", "StressRunnerTestChild",
        "TestSupport",
      ]),
    .testTarget(
      name: "InterlockTestingTests",
      dependencies: [
        "InterlockTesting", "Explorer", "WaitForGraph", "Interlock", "CInterlockEvents",
        "TrackedModel", "TestSupport",
      ]),
    .testTarget(
      name: "ComparisonTests",
      dependencies: ["Comparison", "StressRunner", "LockStrategies", "Interlock", "TestSupport"]),
    .testTarget(
      name: "ReportsTests",
      dependencies: [
        "Findings", "JSONText", "Reports", "Comparison", "StressRunner", "Explorer", "Prediction",
        "HangReports", "WaitForGraph", "ProcessInspection", "Interlock", "TestSupport",
      ],
      exclude: ["Goldens"]),
    // The readers of files and texts, as fuzzers call them.
    .target(
      name: "FuzzedReaders",
      dependencies: [
        "JSONText", "Findings", "StressRunner", "InterlockStress", "CInterlockExplorer",
      ], path: "Tests/FuzzedReaders", exclude: ["Seeds"]),
    // The example of the article GatingYourType, also a package of its own, which ci/checks/fixtures.sh
    // builds.
    .executableTarget(
      name: "OwnCacheStress", dependencies: ["InterlockStress", "Interlock"],
      path: "Tests/OwnCache/Sources/OwnCacheStress"),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzedReaders", "StressRunner"]),
    .testTarget(
      name: "InterlockStressTests",
      dependencies: [
        "Findings", "JSONText", "InterlockStress", "StressRunner", "Explorer", "Comparison",
        "MemoryCheck", "MemoryPrograms", "Prediction", "WaitForGraph", "ProcessInspection",
        "Reports", "Caches", "LockStrategies", "Interlock", "InterlockTool", "InterlockExam",
        "Programs", "SamplePrograms", "PredictPrograms", "OrderPrograms", "DetectorProgram",
        "TestSupport",
      ],
      exclude: ["Goldens"]),
  ]
)

// The targets of ci/checks/fuzz.sh: libFuzzer's driver exists only if '-sanitize=fuzzer' links it.
if Context.environment["INTERLOCK_FUZZ"] != nil {
  package.targets += [
    .target(name: "FuzzDriver", path: "Tests/FuzzDriver"),
    .executableTarget(
      name: "Fuzz", dependencies: ["FuzzedReaders", "FuzzDriver"], path: "Tests/Fuzz"),
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

// A C target ignores them.
for target in package.targets where target.type != .plugin {
  target.swiftSettings = common + (target.swiftSettings ?? [])
}
