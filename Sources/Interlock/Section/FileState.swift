internal import SectionTable

/// A file's existence, size, time and inode number, for the witness of a section that reads it.
///
/// A change that keeps the size is not seen within one tick of the file system's clock (4 ms on
/// many). Creating a state takes one system call, some microseconds, from any thread. Symbolic
/// links are followed.
public struct FileState: Sendable, Hashable {
  /// The size in bytes; `nil` if the file does not exist or cannot be read.
  public var size: Int64?
  /// The time of the last change, in whole seconds since 1970.
  public var seconds: Int64
  /// The fraction of that second, in nanoseconds.
  public var nanoseconds: Int64
  /// The file's inode number, which changes if another file replaces it.
  public var number: UInt64

  /// Reads the state of the file at this path.
  public init(of path: String) {
    let status = Platform.status(ofFile: path)
    size = status.map(\.size)
    seconds = status?.seconds ?? 0
    nanoseconds = status?.nanoseconds ?? 0
    number = status?.number ?? 0
  }
}

extension FileState: CustomStringConvertible {
  /// Size and time in one line.
  public var description: String {
    guard let size else { return "no file" }
    let fraction = String(1_000_000_000 + nanoseconds).dropFirst()
    return "\(size) bytes, changed at \(seconds).\(fraction), file \(number)"
  }
}
