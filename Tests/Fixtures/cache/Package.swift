// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "cache",
  dependencies: [.package(name: "Interlock", path: "../../..")],
  targets: [
    .target(name: "ImageStore", dependencies: [.product(name: "Interlock", package: "Interlock")]),
    .testTarget(
      name: "ImageStoreTests",
      dependencies: ["ImageStore", .product(name: "InterlockTesting", package: "Interlock")]),
  ]
)
