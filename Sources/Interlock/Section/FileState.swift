/// What the system says of a file at one moment, for the witness of a section that reads it.
///
/// Two states are equal where existence, size, time of the last change and identity are: a change
/// that keeps the size within one tick of the file system's clock (4 ms on many) is not seen.
/// Making one is one system call, some microseconds, and may be done from any thread. Links are
/// followed.
public struct FileState: Sendable, Hashable {
  /// Bytes; `nil` where there is no such file, or it cannot be looked at.
  public var size: Int64?
  /// Whole seconds of the last change, since 1970.
  public var seconds: Int64
  /// The rest of it, in nanoseconds.
  public var nanoseconds: Int64
  /// The file's number on its file system: another one where a file was put in its place.
  public var number: UInt64

  /// Looks at the file of this path now.
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
