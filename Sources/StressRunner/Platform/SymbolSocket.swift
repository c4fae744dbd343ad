import Foundation

/// A stream of messages between the runner and a child: a number of 4 bytes, followed by data.
struct SymbolSocket: Sendable {
  #if canImport(Darwin)
  private static let stream = SOCK_STREAM
  private static let flags: Int32 = 0
  #else
  private static let stream = Int32(SOCK_STREAM.rawValue)
  /// Prevents a SIGPIPE if the other end is closed.
  private static let flags = Int32(MSG_NOSIGNAL)
  #endif

  let descriptor: Int32

  /// Creates two connected ends. They are closed on exec, and above the descriptors that a child
  /// uses.
  static func makePair() -> (runner: SymbolSocket, child: SymbolSocket)? {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, stream, 0, &ends) == 0,
      let (first, second) = ChildProcess.raise(ends)
    else { return nil }
    return (SymbolSocket(descriptor: first), SymbolSocket(descriptor: second))
  }

  func close() { Foundation.close(descriptor) }

  func waitForAnswer(milliseconds: Int32) -> Bool {
    var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waited, 1, milliseconds) == 1
  }

  /// The next number; `nil` at the end of the stream, or above `most`.
  func readCount(atMost most: UInt32) -> UInt32? {
    guard let bytes = read(MemoryLayout<UInt32>.size) else { return nil }
    let count = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    return count <= most ? count : nil
  }

  /// Reads data of this length; `nil` at the end of the stream.
  func read(_ count: Int) -> Data? {
    var data = Data(count: count)
    let isWhole = data.withUnsafeMutableBytes { bytes in
      Self.move(bytes.count) { recv(descriptor, bytes.baseAddress?.advanced(by: $0), $1, 0) }
    }
    return isWhole ? data : nil
  }

  /// Writes a message; `false` if the other end is closed.
  func write(count: UInt32, _ data: Data) -> Bool {
    let message = withUnsafeBytes(of: count) { Data($0) } + data
    return message.withUnsafeBytes { bytes in
      Self.move(bytes.count) {
        send(descriptor, bytes.baseAddress?.advanced(by: $0), $1, Self.flags)
      }
    }
  }

  /// Calls `step` with the bytes done and the bytes left, until none are left.
  private static func move(_ count: Int, _ step: (Int, Int) -> Int) -> Bool {
    var done = 0
    while done < count {
      let moved = step(done, count - done)
      if moved > 0 {
        done += moved
      } else if moved == 0 || errno != EINTR {
        return false
      }
    }
    return true
  }
}
