// swift-tools-version: 6.2

import PackageDescription

/// The settings of every Swift target of the package.
let common: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let interlock: [Target.Dependency] = [
  .product(name: "Interlock", package: "Interlock"),
  .product(name: "InterlockStress", package: "Interlock"),
]

let package = Package(
  name: "KnownBugs",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [.executable(name: "known-bugs", targets: ["KnownBugsStress"])],
  dependencies: [.package(name: "Interlock", path: "../..")],
  targets: [
    // Finds the system's SQLite when the program runs: a machine may lack it, or its header.
    .target(name: "CSQLite"),
    // A thread's processor and policy, for the recipe of the priority inversion.
    .target(name: "CPriority"),
    // Models of caches as they were shipped, with their bugs and the repairs, and the code that
    // makes subjects of the models.
    .target(
      name: "KnownBugs", dependencies: ["CSQLite", "CPriority"] + interlock,
      swiftSettings: common),
    .executableTarget(
      name: "KnownBugsStress", dependencies: ["KnownBugs"] + interlock, swiftSettings: common),
    .testTarget(
      name: "KnownBugsTests", dependencies: ["KnownBugs"] + interlock, swiftSettings: common),
  ]
)
