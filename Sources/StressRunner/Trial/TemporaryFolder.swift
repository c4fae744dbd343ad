import Foundation
import ProcessInspection

/// A trial's folder inside the runner's. It contains the report of the toolchain's backtracer about
/// the child, and the child's folder for temporary files.
///
/// The latter is a subfolder, so that a subject that cleans the parent of its temporary folder
/// reaches neither another trial's files nor the system's.
struct TrialFolder {
  /// The path, without a slash at the end.
  let path: String
  fileprivate let name: String
  fileprivate let parent: Int32

  /// The child's folder for temporary files.
  var temporary: String { path + "/tmp" }
}

/// The runner's folders for the files of its children and of the toolchain's backtracer: one
/// folder, and a replacement for each folder that a child has deleted, moved or replaced.
///
/// Used from one thread.
final class TemporaryFolder {
  private struct Place {
    var path: String
    var descriptor: Int32
  }

  /// All folders; the last one is in use.
  private var places: [Place] = []

  /// Creates a folder in the system's folder for temporary files.
  init() throws(RunnerFault) {
    try add()
  }

  deinit {
    for place in places { close(place.descriptor) }
  }

  /// Creates the folder of a trial.
  func makeTrial() throws(RunnerFault) -> TrialFolder {
    if let last = places.last, !isInPlace(last) { try add() }
    guard let place = places.last else { throw Self.fault() }
    // Use a random name, which a subject cannot have taken already.
    let name = "trial-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
    fchmod(place.descriptor, 0o700)
    guard mkdirat(place.descriptor, name, 0o700) == 0 else { throw Self.fault() }
    guard mkdirat(place.descriptor, name + "/tmp", 0o700) == 0 else {
      let fault = Self.fault()
      unlinkat(place.descriptor, name, AT_REMOVEDIR)
      throw fault
    }
    return TrialFolder(path: "\(place.path)/\(name)", name: name, parent: place.descriptor)
  }

  /// Removes a trial's folder with its content. Anything left is removed with the runner's folder,
  /// or reported then.
  func remove(_ trial: TrialFolder) {
    fchmod(trial.parent, 0o700)
    _ = FolderRemoval.remove(Array(trial.name.utf8CString), in: trial.parent)
  }

  /// Removes all folders. Returns one line for each thing that is left.
  func remove() -> [String] {
    var left: [String] = []
    for place in places {
      let path = Platform.path(of: place.descriptor)
      if let reason = FolderRemoval.empty(place.descriptor) {
        left.append("the folder '\(path ?? place.path)' is left with files in it: \(reason)")
      } else if let path, rmdir(path) != 0, errno != ENOENT {
        left.append("the folder '\(path)' is left: \(String(cString: strerror(errno)))")
      }
      close(place.descriptor)
      // A child has put something else at the folder's path.
      if path != place.path, let reason = Self.remove(at: place.path) {
        left.append("'\(place.path)', which a trial has put there, is left: \(reason)")
      }
    }
    places = []
    return left
  }

  private static func remove(at path: String) -> String? {
    let parent = open(
      (path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0 else { return nil }
    defer { close(parent) }
    return FolderRemoval.remove(
      Array((path as NSString).lastPathComponent.utf8CString), in: parent)
  }

  private func add() throws(RunnerFault) {
    let parent = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
    var template = Array("\(parent ?? "/tmp")/interlock-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Self.fault() }
    let path = String(
      decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      let fault = Self.fault()
      rmdir(path)
      throw fault
    }
    places.append(Place(path: path, descriptor: descriptor))
  }

  /// True if the folder's path still leads to the folder.
  private func isInPlace(_ place: Place) -> Bool {
    var own = stat()
    var there = stat()
    return fstat(place.descriptor, &own) == 0 && lstat(place.path, &there) == 0
      && own.st_dev == there.st_dev && own.st_ino == there.st_ino
  }

  private static func fault() -> RunnerFault {
    RunnerFault(reason: "no temporary folder could be made: \(String(cString: strerror(errno)))")
  }
}
