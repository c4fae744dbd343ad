import Foundation

/// A folder of the runner's own, for what its children and the toolchain's backtracer write.
struct TemporaryFolder {
  /// Where it is, without a slash at the end.
  let path: String

  /// Makes one in the system's place for temporary files; `nil` where that cannot be written to.
  init?() {
    let parent = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
    var template = Array("\(parent ?? "/tmp")/interlock-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    path = String(
      decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private init(path: String) { self.path = path }

  /// Makes a folder in it; `nil` where that cannot be done.
  func makeFolder(named name: String) -> TemporaryFolder? {
    let inner = "\(path)/\(name)"
    return mkdir(inner, 0o700) == 0 ? TemporaryFolder(path: inner) : nil
  }

  /// Removes it with all that is in it.
  func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }
}
