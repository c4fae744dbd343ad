// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "snippets",
  // A snippet imports what a product has.
  products: [.library(name: "Counters", targets: ["Counters"])],
  dependencies: [.package(name: "Interlock", path: "../../..")],
  targets: [
    // Compiled without the option.
    .target(name: "Plain"),
    .target(name: "Counters", dependencies: ["Plain"]),
    // Neither this nor the snippet links the product.
    .executableTarget(name: "count", dependencies: ["Counters"]),
    .testTarget(
      name: "CountersTests",
      dependencies: [
        "Counters", "count", .product(name: "InterlockMemory", package: "Interlock"),
      ]),
  ])
