import CInterlock
import Foundation
import ProcessInspection

/// A trial's folder in the runner's: what the toolchain's backtracer writes about its child, and
/// the child's own place for temporary files.
///
/// That place is a folder of its own in it, so that a subject that takes the parent of its
/// temporary folder for its own, and cleans it, has no other trial's there, and not the system's.
struct TrialFolder {
  /// Where it is, without a slash at the end.
  let path: String
  fileprivate let name: String
  fileprivate let parent: Int32

  /// The child's place for temporary files.
  var temporary: String { path + "/tmp" }
}

/// The runner's folders for what its children and the toolchain's backtracer write: one, and
/// another where a child has deleted, moved or replaced it.
///
/// Used from one thread.
final class TemporaryFolder {
  private struct Place {
    var path: String
    var descriptor: Int32
  }

  /// The last is the one in use.
  private var places: [Place] = []

  /// Makes one in the system's place for temporary files.
  init() throws(RunnerFault) {
    try add()
  }

  deinit {
    for place in places { close(place.descriptor) }
  }

  /// Makes the folder of a trial.
  func makeTrial() throws(RunnerFault) -> TrialFolder {
    if let last = places.last, !isInPlace(last) { try add() }
    guard let place = places.last else { throw Self.fault() }
    // A subject that makes every name it can think of has not thought of this one.
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

  /// Removes a trial's folder with all that is in it. What is left is removed with this folder, or
  /// said then.
  func remove(_ trial: TrialFolder) {
    fchmod(trial.parent, 0o700)
    _ = FolderRemoval.remove(Array(trial.name.utf8CString), in: trial.parent)
  }

  /// Removes everything, and gives what is left, a line each.
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
      // What a child has put in its place.
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

  /// Whether a folder is still what its path leads to.
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
