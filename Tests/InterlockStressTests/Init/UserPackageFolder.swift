import Foundation

@testable import InterlockStress

/// A user's small package in a temporary folder, in which 'init' is called.
final class UserPackageFolder {
  let folder: String
  /// The world of the call, with its output.
  let test: TestWorld
  /// The address from which Interlock was cloned.
  var source: InterlockSource? = .init(
    address: "https://example.com/team/Interlock.git", commit: "0123456789abcdef")

  init(_ files: [String: String]) throws {
    test = try TestWorld()
    folder = test.folder + "/App"
    for (path, text) in files { try write(text, path) }
  }

  func write(_ text: String, _ path: String) throws {
    let file = folder + "/" + path
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: file, atomically: true, encoding: .utf8)
  }

  /// The text of a file; `nil` if the file does not exist.
  func read(_ path: String) -> String? {
    try? String(contentsOfFile: folder + "/" + path, encoding: .utf8)
  }

  /// Calls `init` in the package's folder, with SwiftPM's real description of the package.
  func initialize(_ arguments: String...) -> ExitCode {
    var world = test.world
    world.currentFolder = folder
    world.ownPackage = Self.interlock
    world.interlockSource = { [source] _ in source }
    return world.perform(["init"] + arguments)
  }

  /// The files below the folder, without those of SwiftPM.
  var files: Set<String> {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return Set(
      names.filter { name in
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
        return !isFolder.boolValue && !name.hasPrefix(".build")
      })
  }

  /// The folder of this package.
  static let interlock = URL(fileURLWithPath: #filePath)
    .appendingPathComponent("../../../..").standardized.path

  /// A manifest with these targets.
  static func manifest(_ targets: String) -> String {
    """
    // swift-tools-version: 6.0
    import PackageDescription
    let package = Package(name: "App", targets: [\(targets)])
    """
  }
}
