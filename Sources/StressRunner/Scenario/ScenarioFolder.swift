import Foundation
import Findings

/// A folder of scenario files.
///
/// Scenarios are the regular files that end in `.json`, in the folder itself or in its subfolders
/// at any depth. Any other kind of file with such a name is reported as an error and not opened: a
/// link could lead out of the folder, and a pipe would never end. Links to folders are not
/// followed. Names that begin with a dot are ignored, and so is a subfolder that is a package: its
/// scenarios belong to its own executable.
package enum ScenarioFolder {
  /// The size limit of a scenario file, in bytes: a hundred times the size of a handwritten one.
  package static let fileSizeLimit = 1_048_576

  /// Reads every scenario of a folder, sorted by name: first the folder's own files, then those of
  /// each subfolder.
  ///
  /// - Parameters:
  ///   - path: The folder, as shown in messages.
  ///   - platform: The platform whose expectations are used.
  /// - Returns: The files; at least one.
  /// - Throws: The first error of each file, or an error of the folder.
  package static func load(
    _ path: String, platform: PlatformName = .current
  ) throws(ScenarioErrors) -> [ScenarioFile] {
    var files: [ScenarioFile] = []
    var errors: [ScenarioError] = []
    var paths: [String] = []
    do throws(ScenarioError) {
      paths = try scenarios(in: path, &errors)
      if paths.isEmpty, errors.isEmpty {
        throw ScenarioError(
          path: path, message: "holds no scenario, expected files that end in .json")
      }
    } catch {
      throw ScenarioErrors(errors: [error])
    }
    for file in paths {
      do throws(ScenarioError) {
        files.append(
          try ScenarioFile(parsing: RegularFile.read(file), path: file, platform: platform))
      } catch {
        errors.append(error)
      }
    }
    errors += duplicates(in: files)
    guard errors.isEmpty else { throw ScenarioErrors(errors: errors) }
    return files
  }

  /// Reads the scenario at a path, or every scenario of a folder.
  package static func load(
    fileOrFolder path: String, platform: PlatformName = .current
  ) throws(ScenarioErrors) -> [ScenarioFile] {
    var status = stat()
    do throws(ScenarioError) {
      guard stat(path, &status) == 0 || errno != ENOENT else {
        throw ScenarioError(
          path: path, message: absence(of: path, "a scenario or a folder of scenarios"))
      }
      guard status.st_mode & S_IFMT == S_IFDIR else {
        return [try ScenarioFile(parsing: RegularFile.read(path), path: path, platform: platform)]
      }
    } catch {
      throw ScenarioErrors(errors: [error])
    }
    return try load(path, platform: platform)
  }

  /// The paths of the scenarios in a folder and its subfolders. An unreadable subfolder is added to
  /// the errors.
  private static func scenarios(
    in path: String, _ errors: inout [ScenarioError]
  ) throws(ScenarioError) -> [String] {
    let names = try names(in: path)
    var paths = names.filter { $0.hasSuffix(".json") }.map { inside(path, $0) }
    for folder in names.map({ inside(path, $0) }) where isFolder(folder) && !isPackage(folder) {
      do throws(ScenarioError) {
        paths += try scenarios(in: folder, &errors)
      } catch {
        errors.append(error)
      }
    }
    return paths
  }

  /// Whether a path is a folder that may contain scenarios: a folder itself, not a link to one. A
  /// folder named like a scenario file is reported elsewhere. A path too long to examine is
  /// reported like an unreadable folder.
  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    guard !path.hasSuffix(".json") else { return false }
    guard lstat(path, &status) == 0 else { return errno == ENAMETOOLONG }
    return status.st_mode & S_IFMT == S_IFDIR
  }

  private static func isPackage(_ path: String) -> Bool {
    var status = stat()
    return lstat(inside(path, "Package.swift"), &status) == 0
  }

  /// Why no file can be found at a path.
  private static func absence(of path: String, _ expected: String) -> String {
    // Swift has replaced each byte of an argument that is not UTF-8 with this character.
    path.unicodeScalars.contains("\u{FFFD}")
      ? "has a name that is not UTF-8, expected one that is"
      : "is not there, expected \(expected)"
  }

  private static func inside(_ path: String, _ name: String) -> String {
    path + (path.hasSuffix("/") ? "" : "/") + name
  }

  /// Every name in a folder that does not begin with a dot, sorted.
  private static func names(in path: String) throws(ScenarioError) -> [String] {
    func error(_ message: String) -> ScenarioError { ScenarioError(path: path, message: message) }
    var status = stat()
    guard stat(path, &status) == 0 else {
      let reason = errno
      throw error(
        reason == ENOENT
          ? absence(of: path, "a folder of scenarios")
          : "cannot be read: \(String(cString: strerror(reason)))")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw error("is \(kind(of: status)), expected a folder of scenarios")
    }
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw error("cannot be read: \(String(cString: strerror(errno)))") }
    defer { close(folder) }
    var names: [String] = []
    for bytes in FolderListing.names(in: folder) where bytes.first != CChar(UInt8(ascii: ".")) {
      if let name = FolderListing.text(of: bytes) {
        names.append(name)
      } else if mayHoldScenarios(bytes, in: folder) {
        // A name that is not UTF-8 could not be shown in a message or a report, and skipping it
        // would leave a scenario out silently.
        let name = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        throw error("holds '\(escaped(name))', whose name is not UTF-8")
      }
    }
    return names.sorted()
  }

  /// True if a name is that of a scenario, or of a folder that may contain scenarios.
  private static func mayHoldScenarios(_ name: [CChar], in folder: Int32) -> Bool {
    var status = stat()
    return name.suffix(6) == Array(".json".utf8CString)[...]
      || fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
        && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns an error for each file with the name of an earlier one.
  package static func duplicates(in files: [ScenarioFile]) -> [ScenarioError] {
    var firsts: [String: ScenarioFile] = [:]
    return files.compactMap { file in
      let name = file.scenario.name
      guard let first = firsts[name] else {
        firsts[name] = file
        return nil
      }
      return ScenarioError(
        path: file.path, line: file.nameLine,
        message: "the name '\(name)' is taken by \(escaped(first.path)):\(first.nameLine)")
    }
  }
}

/// The kind of file at a path, for a message.
private func kind(of status: stat) -> String {
  switch status.st_mode & S_IFMT {
  case S_IFREG: "a regular file"
  case S_IFDIR: "a folder"
  case S_IFLNK: "a symbolic link"
  case S_IFIFO: "a pipe"
  case S_IFSOCK: "a socket"
  case S_IFCHR, S_IFBLK: "a device"
  default: "of an unknown kind"
  }
}

/// Reads regular files only.
package enum RegularFile {
  /// The content of a regular file of at most `most` bytes; `nil` for any other file. Never blocks.
  static func contents(_ path: String, atMost most: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= most
    else { return nil }
    return try? read(descriptor, atMost: Int(status.st_size))
  }

  /// The content of a small regular file.
  ///
  /// Never blocks, and reads no more than `most` bytes. The file is opened without blocking, and
  /// its kind is checked on the open descriptor, so that it cannot be replaced in between.
  package static func read(
    _ path: String, atMost most: Int = ScenarioFolder.fileSizeLimit
  ) throws(ScenarioError) -> [UInt8] {
    func fault(_ message: String) -> ScenarioError { ScenarioError(path: path, message: message) }
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      let reason = errno
      // Links and sockets cannot be opened even without blocking.
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else {
        throw fault("cannot be read: \(String(cString: strerror(reason)))")
      }
      throw fault("is \(kind(of: status)), expected a regular file")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw fault("cannot be read: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw fault("is \(kind(of: status)), expected a regular file")
    }
    guard status.st_size <= most else {
      throw fault("has \(status.st_size) bytes, expected at most \(most)")
    }
    do throws(ReadError) {
      return try read(descriptor, atMost: most)
    } catch {
      switch error {
      case .system(let reason):
        throw fault("cannot be read: \(String(cString: strerror(reason)))")
      case .tooLarge:
        throw fault("grew while it was read, expected at most \(most) bytes")
      }
    }
  }

  private enum ReadError: Error {
    case system(Int32)
    case tooLarge
  }

  /// Reads up to the end of a file.
  private static func read(
    _ descriptor: Int32, atMost most: Int
  ) throws(ReadError) -> [UInt8] {
    // Read one byte more than the limit, in case the file grows meanwhile.
    var bytes = [UInt8](repeating: 0, count: most + 1)
    var count = 0
    while count < bytes.count {
      let got = bytes.withUnsafeMutableBytes { buffer in
        Foundation.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw .system(errno) }
      if got == 0 { return Array(bytes.prefix(count)) }
      count += got
    }
    throw .tooLarge
  }
}
