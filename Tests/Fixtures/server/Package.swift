// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "server",
  dependencies: [.package(name: "Interlock", path: "../../..")],
  targets: [
    .target(name: "Server"),
    .testTarget(
      name: "ServerTests",
      dependencies: ["Server", .product(name: "InterlockTesting", package: "Interlock")]),
  ]
)
