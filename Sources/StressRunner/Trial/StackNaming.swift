import Foundation
import ProcessInspection
import WaitForGraph

/// Names the stacks of a trial that has ended, on a thread of its own: while that reads debug
/// information, other trials must be looked at in time.
final class StackNaming: Sendable {
  /// The trial's number in the list.
  let index: Int
  /// Stacks that are not named in this time are shown without names.
  private static let patience = 60.0

  private let condition = NSCondition()
  private let deadline = Platform.now + patience
  private let unnamed: Observation
  // Reached under the condition alone.
  nonisolated(unsafe) private var finished: Observation?

  /// Begins to name; to be called on the thread that starts the children.
  init(
    of stacks: RawStacks, in observation: Observation, index: Int,
    symbolicate: @escaping RawStacks.Symbolicate
  ) {
    self.index = index
    var unnamed = observation
    unnamed.threads = stacks.groups(named: [:])
    self.unnamed = unnamed
    // Has the list of images taken here, where nothing is mapped or unmapped meanwhile, by asking
    // for an address that is cheap to name.
    let cheap = stacks.origins.first {
      $0.value.ownAddress != nil && $0.value.image.hasPrefix("libc.")
    }
    if let address = cheap?.value.ownAddress { _ = MappedFiles.keep { symbolicate([address]) } }
    Thread { [self] in
      var observation = observation
      let frames = stacks.named(symbolicate: symbolicate)
      observation.threads = stacks.groups(named: frames)
      observation.waits = observation.waits?.named(frames)
      condition.withLock {
        finished = observation
        condition.broadcast()
      }
    }.start()
  }

  /// The observation with its threads; `nil` while they are being named.
  var observation: Observation? {
    condition.withLock { finished ?? (Platform.now < deadline ? nil : unnamed) }
  }

  /// Blocks until they are named, but not for long.
  func wait() {
    let end = Date(timeIntervalSinceNow: 10)
    condition.withLock {
      while finished == nil, condition.wait(until: end) {}
    }
  }
}
