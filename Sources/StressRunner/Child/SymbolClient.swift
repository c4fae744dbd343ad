import Foundation
import Interlock

/// The child's end of the symbol socket: requests the frames of addresses from the runner.
final class SymbolClient: @unchecked Sendable {
  // Unchecked: the only caller holds the symbolicator's lock.
  private let socket: SymbolSocket
  private let patience: Int32
  private let process = getpid()
  private var isLost = false

  /// Creates a client; `patience` is the longest wait for an answer, in milliseconds.
  init(descriptor: Int32, patience: Int32 = 30_000) {
    socket = SymbolSocket(descriptor: descriptor)
    self.patience = patience
  }

  /// The frames of addresses that the runner can symbolicate; empty if it does not answer.
  func frames(_ addresses: [UInt]) -> [NamedFrame] {
    // The child of a fork would read the answers meant for its parent.
    guard !isLost, getpid() == process, addresses.count <= SymbolServer.mostAddresses else {
      return []
    }
    let request = addresses.withUnsafeBytes { Data($0) }
    // Use a timed wait, so that no monitor takes the thread for stuck.
    guard socket.write(count: UInt32(addresses.count), request),
      socket.waitForAnswer(milliseconds: patience),
      let count = socket.readCount(atMost: 1 << 28), let answer = socket.read(Int(count)),
      let frames = try? JSONDecoder().decode([NamedFrame].self, from: answer)
    else {
      isLost = true
      return []
    }
    return frames
  }
}
