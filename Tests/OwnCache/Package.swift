// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "OwnCache",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Interlock", path: "../..")],
  targets: [
    .executableTarget(
      name: "OwnCacheStress",
      dependencies: [
        .product(name: "Interlock", package: "Interlock"),
        .product(name: "InterlockStress", package: "Interlock"),
      ])
  ]
)
