// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "viewmodel",
  dependencies: [.package(name: "Interlock", path: "../../..")],
  targets: [
    .target(name: "Feed"),
    .testTarget(
      name: "FeedTests",
      dependencies: ["Feed", .product(name: "InterlockTesting", package: "Interlock")]),
  ]
)
