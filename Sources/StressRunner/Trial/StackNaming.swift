import Foundation
import Interlock
import ProcessInspection
import Hangs

/// Symbolicates the stacks of an ended trial on a separate thread. That reads debug information,
/// while the runner must keep sampling other trials.
final class StackNaming: Sendable {
  /// The trial's index in the list.
  let index: Int
  /// The seconds after which stacks are shown without symbols, which may change the verdict. One
  /// thread symbolicates for all trials: on a busy machine, other trials come first.
  private static let patience = 300.0

  private let condition = NSCondition()
  private let deadline = Platform.now + patience
  private let unnamed: Observation
  // Accessed only under `condition`.
  nonisolated(unsafe) private var finished: Observation?

  /// Starts to symbolicate. Call it on the thread that starts the children. If the system refuses a
  /// new thread, the calling thread symbolicates.
  init(
    of stacks: RawStacks, in observation: Observation, index: Int, stackBytes: Int = 8 << 20,
    symbolicate: @escaping RawStacks.Symbolicate
  ) {
    self.index = index
    var unnamed = observation
    unnamed.threads = stacks.groups(named: [:])
    self.unnamed = unnamed
    // List images on this thread, where no file is mapped or unmapped meanwhile.
    MappedFiles.keep { listImages() }
    let work: @Sendable () -> Void = { [self] in
      var observation = observation
      let frames = stacks.named(symbolicate: symbolicate)
      observation.threads = stacks.groups(named: frames)
      observation.waits = observation.waits?.named(frames)
      condition.withLock {
        finished = observation
        condition.broadcast()
      }
    }
    if !DedicatedThread.startDetached(stackBytes: stackBytes, work) { work() }
  }

  /// The observation with its threads; `nil` while they are being symbolicated.
  var observation: Observation? {
    condition.withLock { finished ?? (Platform.now < deadline ? nil : unnamed) }
  }

  /// Blocks until the stacks are symbolicated, for at most 10 seconds.
  func wait() {
    let end = Date(timeIntervalSinceNow: 10)
    condition.withLock {
      while finished == nil, condition.wait(until: end) {}
    }
  }
}
