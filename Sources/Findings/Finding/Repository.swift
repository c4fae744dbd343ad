import Foundation
package import Interlock
import Synchronization

/// The source files that findings refer to, as paths relative to the repository, which CI services
/// use.
package final class Repository: Sendable {
  /// The location of a finding.
  package struct Location: Sendable, Hashable {
    /// The path: relative to the repository if the file is inside, otherwise as given.
    package var path: String
    /// True if the path is relative to the repository.
    package var isInside: Bool
    /// The line, from 1; `nil` if it is unknown.
    package var line: Int?
  }

  /// The most folder entries that are read to find a file whose module and name alone are known.
  private static let mostEntries = 50_000

  /// The absolute path of the repository's root, without a slash at its end.
  package let root: String
  private let roots: [String]
  private let listing: @Sendable (String) -> [String]
  private let known = Mutex<[String: [String]]?>(nil)

  /// Creates the repository of a folder: the nearest parent with `.git`, or the folder itself.
  package convenience init(around folder: String) {
    var root = URL(fileURLWithPath: folder).standardizedFileURL
    let start = root.path
    while root.path != "/" {
      if FileManager.default.fileExists(atPath: root.appendingPathComponent(".git").path) { break }
      root.deleteLastPathComponent()
    }
    self.init(root: root.path == "/" ? start : root.path, listing: Self.sources)
  }

  /// Creates a repository with given files, for tests.
  ///
  /// - Parameters:
  ///   - root: The absolute path of the root.
  ///   - listing: Returns the paths of the source files, relative to the root.
  package init(root: String, listing: @escaping @Sendable (String) -> [String]) {
    self.root = root
    self.listing = listing
    // Debug information may have the path of a symbolic link's target.
    roots = [root, URL(fileURLWithPath: root).resolvingSymlinksInPath().path].map { $0 + "/" }
  }

  /// The location of a frame; `nil` if its file is unknown.
  package func location(of frame: StackFrame) -> Location? {
    guard let file = frame.file, !file.isEmpty, !file.hasSuffix("<compiler-generated>") else {
      return nil
    }
    let line = frame.line.flatMap { $0 > 0 ? $0 : nil }
    return location(ofFile: file, line: line)
  }

  /// The location of a file.
  package func location(ofFile path: String, line: Int?) -> Location {
    let file =
      path.hasPrefix("/") && path.contains("/.")
      ? URL(fileURLWithPath: path).standardizedFileURL.path : path
    let isPlain = !file.split(separator: "/").contains("..")
    if file.hasPrefix("/") {
      guard isPlain, let root = roots.first(where: file.hasPrefix) else {
        return Location(path: file, isInside: false, line: line)
      }
      return Location(path: String(file.dropFirst(root.count)), isInside: true, line: line)
    }
    guard isPlain else { return Location(path: file, isInside: false, line: line) }
    if let path = self.path(ofModuleFile: file) {
      return Location(path: path, isInside: true, line: line)
    }
    return Location(path: file, isInside: false, line: line)
  }

  /// The only file that `Module/File.swift` can mean; `nil` if there is none or more than one.
  private func path(ofModuleFile file: String) -> String? {
    let parts = file.split(separator: "/").map(String.init)
    guard let name = parts.last else { return nil }
    let candidates = files(named: name)
    if candidates.contains(file) { return file }
    guard parts.count > 1 else { return candidates.count == 1 ? candidates.first : nil }
    let inModule = candidates.filter { $0.split(separator: "/").contains { $0 == parts[0] } }
    if inModule.count == 1 { return inModule.first }
    return candidates.count == 1 ? candidates.first : nil
  }

  private func files(named name: String) -> [String] {
    known.withLock { known in
      if known == nil {
        known = Dictionary(
          grouping: listing(root), by: { $0.split(separator: "/").last.map(String.init) ?? "" })
      }
      return known?[name] ?? []
    }
  }

  /// The source files below a folder, without hidden folders such as those of a build.
  @Sendable private static func sources(below root: String) -> [String] {
    guard let entries = FileManager.default.enumerator(atPath: root) else { return [] }
    var files: [String] = []
    var count = 0
    while let path = entries.nextObject() as? String, count < mostEntries {
      count += 1
      let name = path.split(separator: "/").last ?? ""
      if name.hasPrefix(".") {
        entries.skipDescendants()
      } else if [".swift", ".c", ".h", ".m", ".mm", ".cc", ".cpp", ".json"].contains(
        where: name.hasSuffix)
      {
        files.append(path)
      }
    }
    return files
  }
}
