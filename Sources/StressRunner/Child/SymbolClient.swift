import Foundation
import Interlock

/// The child's end of the socket: asks the runner for the frames of addresses.
final class SymbolClient: @unchecked Sendable {
  // Unchecked: its only caller holds the symbolicator's lock.
  private let socket: SymbolSocket
  private let patience: Int32
  private let process = getpid()
  private var isLost = false

  /// `patience`: the longest wait for an answer; milliseconds.
  init(descriptor: Int32, patience: Int32 = 30_000) {
    socket = SymbolSocket(descriptor: descriptor)
    self.patience = patience
  }

  /// The frames of the addresses that the runner knows; none if it does not answer.
  func frames(_ addresses: [UInt]) -> [NamedFrame] {
    // A fork's child would read the answers to its parent.
    guard !isLost, getpid() == process, addresses.count <= SymbolServer.mostAddresses else {
      return []
    }
    let request = addresses.withUnsafeBytes { Data($0) }
    // A timed wait, so that neither monitor takes the thread for stuck.
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
