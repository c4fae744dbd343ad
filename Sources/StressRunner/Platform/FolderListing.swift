import Foundation

/// Lists file names as the file system has them: any bytes except a slash.
enum FolderListing {
  /// Returns at most `most` names in an open folder, each with a terminating 0.
  static func names(in folder: Int32, atMost most: Int = .max) -> [[CChar]] {
    // Open the folder again: a duplicate of the descriptor would share its read position.
    let descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0, let stream = fdopendir(descriptor) else {
      if descriptor >= 0 { close(descriptor) }
      return []
    }
    defer { closedir(stream) }
    var names: [[CChar]] = []
    while names.count < most, let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { first in
          Array(UnsafeBufferPointer(start: first, count: strlen(first) + 1))
        }
      }
      // Skip "." and "..".
      if name == [46, 0] || name == [46, 46, 0] { continue }
      names.append(name)
    }
    return names
  }

  /// A name as text; `nil` if it is not UTF-8.
  static func text(of name: [CChar]) -> String? {
    String(validating: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
