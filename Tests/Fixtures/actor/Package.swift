// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "actor",
  dependencies: [.package(name: "Interlock", path: "../../..")],
  targets: [
    .target(name: "Accounts"),
    .testTarget(
      name: "AccountsTests",
      dependencies: ["Accounts", .product(name: "InterlockTesting", package: "Interlock")]),
  ]
)
