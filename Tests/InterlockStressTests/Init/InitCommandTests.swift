import Foundation
import StressRunner
import TestSupport
import Testing

@testable import InterlockStress

/// `init` on the usual layouts of packages, as SwiftPM describes them.
@Suite("'init'", .offThePool)
struct InitCommandTests {
  private static let cache = """
    public final class Store: @unchecked Sendable { public init() {}; public func clear() {} }
    public actor Loader { public init() {} }
    """

  /// Checks that a Swift file parses.
  private func expectParses(
    _ package: UserPackageFolder, _ path: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let words = ["swiftc", "-frontend", "-parse", path]
    let result = try Subprocess.run(words, in: package.folder)
    #expect(result.code == 0, "\(result.errors)", sourceLocation: sourceLocation)
  }

  @Test("In a library with Swift Testing, 'init' writes a test, and names types worth stressing")
  func library() throws {
    let package = try UserPackageFolder([
      "Package.swift": UserPackageFolder.manifest(
        #".target(name: "Store"), .testTarget(name: "StoreTests", dependencies: ["Store"])"#),
      "Sources/Store/Store.swift": Self.cache,
      "Tests/StoreTests/StoreTests.swift": "import Testing\n@Test func old() {}\n",
      ".github/workflows/ci.yml": "on: push\n",
    ])
    let before = package.files
    #expect(package.initialize() == .met, "\(package.test.errors.text)")
    let path = "Tests/StoreTests/ConcurrencyTests.swift"
    // Neither the folder nor its parent is a repository.
    #expect(package.files.subtracting(before) == [path, ".github/workflows/interlock.yml"])
    let text = try #require(package.read(path))
    #expect(text.contains("import Testing\n") && text.contains("@testable import Store\n"))
    #expect(text.contains("// Store is at Sources/Store/Store.swift:1."))
    #expect(text.contains("stress(Store(), callers: 4, rounds: 200) { subject, _ in\n"))
    #expect(text.contains("    subject.clear()\n") && !text.contains("Example"))
    #expect(text.contains("// - Loader, at Sources/Store/Store.swift:2\n"))
    try expectParses(package, path)
    let output = package.test.output.text
    #expect(output.contains("written: \(path)\n"))
    let interlock = InitCommand.relative(UserPackageFolder.interlock, to: package.folder)
    #expect(
      output.contains(
        """
          to the package's dependencies:
            .package(name: "Interlock", path: "\(interlock)"),
          to the dependencies of StoreTests:
            .product(name: "InterlockTesting", package: "Interlock"),
        - 
        """), "\(output)")
    #expect(interlock.hasPrefix("../"))
    // No file is overwritten, also by a second call.
    try package.write("// mine\n", path)
    #expect(package.initialize() == .met)
    #expect(package.read(path) == "// mine\n")
    #expect(package.test.output.text.contains("left as it is: \(path)\n"))
  }

  @Test("In a package with XCTest, 'init' writes a test case")
  func xctest() throws {
    let package = try UserPackageFolder([
      "Package.swift": UserPackageFolder.manifest(
        #".target(name: "Store"), .testTarget(name: "StoreTests", dependencies: ["Store"])"#),
      "Sources/Store/Store.swift": "public struct Store {}\n",
      "Tests/StoreTests/StoreTests.swift": "import XCTest\nfinal class A: XCTestCase {}\n",
    ])
    #expect(package.initialize("--ci", "gitlab") == .met, "\(package.test.errors.text)")
    let text = try #require(package.read("Tests/StoreTests/ConcurrencyTests.swift"))
    #expect(text.contains("import XCTest\n") && text.contains(": XCTestCase {"))
    #expect(!text.contains("@Test"))
    try expectParses(package, "Tests/StoreTests/ConcurrencyTests.swift")
    let flow = try #require(package.read(".gitlab/interlock.yml"))
    #expect(flow.contains(" swift test\n"))
    #expect(flow.contains("\n    INTERLOCK_EXPLORE_CORPUS: interlock-orders\n  script:\n"))
    #expect(flow.hasSuffix("\n    when: always\n    paths:\n      - interlock-orders\n"))
    #expect(package.test.output.text.contains("include: { local: .gitlab/interlock.yml }"))
    #expect(package.test.output.text.contains("put a type of Store in its place"))
  }

  @Test("In a package that is an executable only, 'init' adds a test target, and no executable")
  func executable() throws {
    let package = try UserPackageFolder([
      "Package.swift": UserPackageFolder.manifest(#".executableTarget(name: "my-app")"#),
      "Sources/my-app/main.swift": "print(1)\n",
    ])
    #expect(package.initialize("--ci", "none", "--edit-manifest") == .met)
    #expect(package.test.errors.text == "")
    let path = "Tests/my-appTests/my-appTests.swift"
    #expect(package.files == ["Package.swift", "Sources/my-app/main.swift", path])
    #expect(package.read(path)?.contains("@testable import my_app\n") == true)
    try expectParses(package, path)
    let manifest = try #require(package.read("Package.swift"))
    #expect(manifest.contains(#".package(name: "Interlock", path: "../"#), "\(manifest)")
    #expect(manifest.contains(#", .product(name: "InterlockTesting", package: "Interlock")]"#))
    #expect(manifest.contains(#"name: "my-appTests""#) && manifest.contains("InterlockTesting"))
    #expect(package.test.output.text.contains("edited: Package.swift\n"))
    // SwiftPM reads the new manifest, and a second call finds nothing to add.
    #expect(package.initialize("--ci", "none", "--edit-manifest") == .met)
    #expect(package.read("Package.swift") == manifest)
    #expect(package.initialize("--stress") == .usage)
    #expect(package.test.errors.text.contains("A stress executable needs a library target"))
  }

  @Test("The elements that 'init' adds to a manifest have a space between them")
  func spaces() {
    let change = ManifestChange(interlock: "../Interlock", knownAs: "Interlock")
    let added = #"    dependencies: [ "A",.product(name: "B", package: "Interlock"),]"#
    let other = #"    dependencies: [ "A",.product(name: "B", package: "Other"),]"#
    #expect(
      change.finished("x\n\(added)\n\(other)\n")
        == "x\n    dependencies: [\"A\", .product(name: \"B\", package: \"Interlock\")]\n\(other)\n"
    )
  }

  @Test("Among several targets, 'init' takes the first test target, or the target that is named")
  func several() throws {
    let package = try UserPackageFolder([
      "Package.swift": UserPackageFolder.manifest(
        #"""
        .target(name: "A"), .target(name: "B", dependencies: ["A"], path: "B"),
        .executableTarget(name: "tool", dependencies: ["B"]),
        .testTarget(name: "ATests", dependencies: ["A"]),
        .testTarget(name: "BTests", dependencies: [.target(name: "B")], path: "B-Tests")
        """#),
      "Sources/A/A.swift": Self.cache, "B/B.swift": "extension Int: @unchecked Sendable {}\n",
      "Sources/tool/main.swift": "", "Tests/ATests/A.swift": "import Testing\n",
      "B-Tests/B.swift": "import Testing\n",
    ])
    #expect(package.initialize("--ci", "none") == .met, "\(package.test.errors.text)")
    #expect(package.files.contains("Tests/ATests/ConcurrencyTests.swift"))
    #expect(package.test.output.text.contains("which '--target' chooses: BTests."))
    #expect(package.initialize("--target", "BTests", "--ci", "none", "--stress") == .met)
    let text = try #require(package.read("B-Tests/ConcurrencyTests.swift"))
    #expect(text.contains("@testable import B\n") && text.contains("Int, at B/B.swift:1"))
    #expect(package.test.output.text.contains("no initialiser of these takes simple values"))
    let stress = "Sources/AStress/AStress.swift"
    #expect(package.read(stress)?.contains("struct AStress: StressCommand {") == true)
    try expectParses(package, stress)
    for name in ["concurrent-reads", "mixed"] {
      let text = try #require(package.read("StressScenarios/\(name).json"))
      let file = try ScenarioFile(parsing: Array(text.utf8), path: name)
      #expect(Set(file.expectedSubjects.keys).isSubset(of: SubjectEntry.builtIn.map(\.name)))
      #expect(file.expectedSubjects.isEmpty == (name == "mixed"))
    }
    #expect(package.initialize("--target", "BTest") == .usage)
    #expect(package.test.errors.text.contains("'BTest': did you mean 'BTests'?"))
  }

  @Test("In a library without tests, 'init' adds a test target")
  func untested() throws {
    let package = try UserPackageFolder([
      "Package.swift": UserPackageFolder.manifest(#".target(name: "Store")"#),
      "Sources/Store/Store.swift": Self.cache,
      ".git/config": "[remote \"origin\"]\n\turl = git@github.com:a/b.git\n",
    ])
    #expect(package.initialize("--stress") == .met, "\(package.test.errors.text)")
    try expectParses(package, "Tests/StoreTests/StoreTests.swift")
    let flow = try #require(package.read(".github/workflows/interlock.yml"))
    let interlock = InitCommand.relative(UserPackageFolder.interlock, to: package.folder)
    let steps = """
            - uses: actions/checkout@v4
              with:
                submodules: recursive
            - run: git clone 'https://example.com/team/Interlock.git' \(interlock)
            - run: git -C \(interlock) checkout 0123456789abcdef
            - run: INTERLOCK_OPTIONS=hang_limit=60 swift test
            - run: swift run StoreStress gate
            - uses: actions/upload-artifact@v4
              if: always()
              with:
                name: interlock-orders
                path: interlock-orders
                if-no-files-found: ignore

      """
    #expect(flow.contains("\n      INTERLOCK_EXPLORE_CORPUS: interlock-orders\n    steps:\n"))
    #expect(flow.hasSuffix(steps), "\(flow)")
    let output = package.test.output.text
    #expect(
      output.contains(
        """
          to the targets:
            .testTarget(
              name: "StoreTests",
              dependencies: [
                "Store",
                .product(name: "InterlockTesting", package: "Interlock"),
              ]),
            .executableTarget(
        """.replacing("    .exec", with: "  to the targets:\n    .exec")), "\(output)")
    // Without these folders, the CI service is unknown.
    for name in [".git", ".github"] {
      try FileManager.default.removeItem(atPath: package.folder + "/" + name)
    }
    let before = package.files
    #expect(package.initialize() == .met)
    #expect(package.files == before)
    #expect(package.test.output.text.contains("shows no CI service, '--ci' names one."))
  }

  @Test("Without an address that a job can clone Interlock from, 'init' writes no workflow")
  func noAddress() throws {
    let package = try UserPackageFolder([
      "Package.swift": UserPackageFolder.manifest(#".target(name: "Store")"#),
      "Sources/Store/Store.swift": Self.cache, ".github/workflows/ci.yml": "on: push\n",
    ])
    package.source = nil
    #expect(package.initialize() == .met)
    #expect(!package.files.contains(".github/workflows/interlock.yml"))
    let words = package.test.output.text.split(whereSeparator: \.isWhitespace).joined(
      separator: " ")
    #expect(words.contains("No workflow file: a job has to fetch Interlock"))
    #expect(InterlockSource.publicAddress("git@github.com:a/b.git") == "https://github.com/a/b.git")
    #expect(
      InterlockSource.publicAddress("ssh://git@host.org:2222/a/b") == "https://host.org/a/b")
    #expect(InterlockSource.publicAddress("https://key@host.org/a") == "https://host.org/a")
    #expect(InterlockSource.publicAddress("http://host.org:80/a") == "http://host.org:80/a")
    for folder in ["/opt/Interlock", "../Interlock", "file:///opt/Interlock", "C:\\Interlock"] {
      #expect(InterlockSource.publicAddress(folder) == nil, "\(folder)")
    }
  }

  @Test("In a repository that contains Interlock, the workflow of 'init' fetches nothing else")
  func inside() throws {
    let package = try UserPackageFolder([
      "Package.swift": UserPackageFolder.manifest(#".target(name: "Store")"#),
      "Sources/Store/Store.swift": Self.cache, ".github/workflows/ci.yml": "on: push\n",
      ".git/config": "", "Vendor/main/Package.swift": "",
    ])
    package.source = nil
    #expect(package.initialize("--interlock", package.folder + "/Vendor/main") == .met)
    let flow = try #require(package.read(".github/workflows/interlock.yml"))
    #expect(!flow.contains("clone") && flow.contains("submodules: recursive"))
    #expect(
      package.test.output.text.contains(
        #"    .package(name: "Interlock", path: "Vendor/main"),"#))
  }

  @Test("'init' keeps the name that a manifest has for Interlock")
  func knownByName() throws {
    let package = try UserPackageFolder([
      "Package.swift": """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "App", dependencies: [.package(path: "\(UserPackageFolder.interlock)")],
        targets: [.target(name: "Store")])
      """,
      "Sources/Store/Store.swift": Self.cache,
    ])
    #expect(package.initialize("--ci", "none") == .met, "\(package.test.errors.text)")
    let folder = URL(fileURLWithPath: UserPackageFolder.interlock).lastPathComponent.lowercased()
    #expect(!package.test.output.text.contains("to the package's dependencies"))
    #expect(package.test.output.text.contains(#"package: "\#(folder)""#))
  }

  @Test("'init' reports a folder without a package and a broken manifest in one line each")
  func wrong() throws {
    let empty = try UserPackageFolder(["a.txt": ""])
    #expect(empty.initialize() == .usage)
    #expect(empty.test.errors.text.contains("which 'swift package init' makes"))
    let broken = try UserPackageFolder(["Package.swift": "// swift-tools-version: 6.0\nlet x = \n"])
    #expect(broken.initialize() == .badScenario)
    #expect(broken.test.errors.text.contains("Package.swift: cannot be read by 'swift package"))
    #expect(broken.test.errors.text.filter { $0 == "\n" }.count == 1)
    let nowhere = try UserPackageFolder([
      "Package.swift": UserPackageFolder.manifest(#".target(name: "A")"#), "Sources/A/A.swift": "",
    ])
    #expect(nowhere.initialize("--interlock", "../none") == .usage)
    #expect(nowhere.test.errors.text.contains("'../none' is invalid for '--interlock <folder>'"))
    #expect(nowhere.files == ["Package.swift", "Sources/A/A.swift"])
  }

  @Test("'init' restores a manifest that SwiftPM refuses to edit, and the exit code says so")
  func refused() throws {
    let package = try UserPackageFolder([
      "Package.swift": UserPackageFolder.manifest(#".target(name: "A")"#), "Sources/A/A.swift": "",
    ])
    let before = package.read("Package.swift")
    var world = package.test.world
    world.currentFolder = package.folder
    world.ownPackage = UserPackageFolder.interlock
    let swiftPackage = world.swiftPackage
    world.swiftPackage = { arguments, folder in
      guard arguments[0] == "add-target-dependency" else {
        return try swiftPackage(arguments, folder)
      }
      return Subprocess.Result(code: 1, output: [], errors: "error: no such target\n")
    }
    #expect(world.perform(["init", "--ci", "none", "--edit-manifest"]) == .unmet)
    #expect(package.read("Package.swift") == before)
    #expect(package.test.errors.text.contains("Package.swift is as it was"))
    #expect(package.test.errors.text.contains("no such target"))
  }

  @Test("'init' names Interlock's folder relative to the package")
  func relative() {
    #expect(InitCommand.relative("/home/Interlock", to: "/home/App") == "../Interlock")
    #expect(InitCommand.relative("/home/App/Interlock", to: "/home/App") == "Interlock")
    #expect(InitCommand.relative("/home/Interlock", to: "/home/Interlock/a/b") == "../..")
    #expect(
      InitCommand.relative("/nowhere/Interlock", to: "/home/App") == "../../nowhere/Interlock")
  }
}
