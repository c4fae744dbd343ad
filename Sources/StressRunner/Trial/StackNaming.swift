import Foundation
import Interlock
import ProcessInspection
import Synchronization
import WaitForGraph

/// Symbolicates the stacks of a trial that has ended, on another thread: it reads debug information
/// while the runner must keep sampling other trials.
final class StackNaming: Sendable {
  /// The trial's index in the list.
  let index: Int
  /// After this time, stacks are shown without symbols; seconds.
  private static let patience = 60.0

  private let condition = NSCondition()
  private let deadline = Platform.now + patience
  private let unnamed: Observation
  // Accessed under the condition only.
  nonisolated(unsafe) private var finished: Observation?

  /// Starts to symbolicate. Call it on the thread that starts the children. If the system refuses
  /// another thread, this one symbolicates.
  init(
    of stacks: RawStacks, in observation: Observation, index: Int, stackBytes: Int = 8 << 20,
    symbolicate: @escaping RawStacks.Symbolicate
  ) {
    self.index = index
    var unnamed = observation
    unnamed.threads = stacks.groups(named: [:])
    self.unnamed = unnamed
    Self.listImages(of: stacks, symbolicate: symbolicate)
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

  /// Takes the list of images here, where nothing is mapped or unmapped meanwhile, by symbolicating
  /// an address for which that is cheap. Once for each list: the naming thread may be symbolicating
  /// for many seconds, and another thread that calls `symbolicate` waits for it.
  private static func listImages(of stacks: RawStacks, symbolicate: RawStacks.Symbolicate) {
    let libraries = librariesLoaded()
    // Relaxed: says only that a call has returned; two threads at a time list them twice.
    guard listed.load(ordering: .relaxed) != libraries else { return }
    let cheap = stacks.origins.first {
      $0.value.ownAddress != nil && $0.value.image.hasPrefix("libc.")
    }
    guard let address = cheap?.value.ownAddress else { return }
    _ = MappedFiles.keep { symbolicate([address]) }
    listed.store(libraries, ordering: .relaxed)
  }

  /// The number of libraries for which the images were listed.
  private static let listed = Atomic<UInt64>(0)

  /// The observation with its threads; `nil` while they are being symbolicated.
  var observation: Observation? {
    condition.withLock { finished ?? (Platform.now < deadline ? nil : unnamed) }
  }

  /// Blocks until they are symbolicated, for at most 10 seconds.
  func wait() {
    let end = Date(timeIntervalSinceNow: 10)
    condition.withLock {
      while finished == nil, condition.wait(until: end) {}
    }
  }
}
