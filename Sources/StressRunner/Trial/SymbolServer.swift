import Foundation
import Interlock
import ProcessInspection

/// Symbolicates the addresses of a child. The child would have to read its own debug information in
/// each trial with a finding; the runner reads that of the same files once.
struct SymbolServer: Sendable {
  /// The most addresses in a request, more than a report has.
  static let mostAddresses: UInt32 = 1 << 14
  /// The most requests, more than a trial needs: a subject may send requests too.
  private static let mostRequests = 10_000

  let process: pid_t
  let socket: SymbolSocket

  /// Answers the child on a separate thread, which closes the socket when the child ends. If the
  /// system refuses the thread, the child gets no answers.
  func start() {
    if !DedicatedThread.startDetached({ serve() }) { socket.close() }
  }

  private func serve() {
    defer { socket.close() }
    for _ in 0..<Self.mostRequests {
      guard let count = socket.readCount(atMost: Self.mostAddresses),
        let bytes = socket.read(Int(count) * MemoryLayout<UInt>.size)
      else { return }
      let addresses = bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt.self)) }
      guard let answer = try? JSONEncoder().encode(frames(addresses)),
        socket.write(count: UInt32(answer.count), answer)
      else { return }
    }
  }

  private func frames(_ addresses: [UInt]) -> [NamedFrame] {
    let origins = StackCapture.origins(of: Set(addresses), in: process)
    var theirs: [UInt: UInt] = [:]
    for (address, origin) in origins {
      if let own = origin.ownAddress { theirs[own] = address }
    }
    let found = MappedFiles.keep { namedFrames(Array(theirs.keys)) }
    return found.compactMap { named in
      guard let address = theirs[named.frame.address] else { return nil }
      var named = named
      named.frame.address = address
      return named
    }
  }
}
