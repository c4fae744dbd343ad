import Caches
import Foundation
import InterlockStress
import StressRunner

/// A cache of YYCache's family as a subject; what each has of its own is in `act` and `finalState`.
protocol YYSubject: Subject {
  /// The names of its own calls.
  static var actions: [String] { get }

  /// The cache that the calling thread uses.
  var cache: any Caches.Cache { get }

  /// Makes one of its own calls.
  func act(
    _ name: String, _ operation: StressRunner.Operation,
    completion: @escaping @Sendable (Reply) -> Void)
}

extension YYSubject {
  func supports(_ kind: StressRunner.Operation.Kind) -> Bool {
    if case .action(let name) = kind { return Self.actions.contains(name) }
    return true
  }

  func perform(
    _ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    if case .action(let name) = operation.kind {
      return act(name, operation, completion: completion)
    }
    cache.perform(operation, completion: completion)
  }
}

/// A folder of the trial's own, in the one for temporary files, which goes when the run is over.
func folderOfTrial() -> String {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("yycache-\(UUID().uuidString)").path
  // If it cannot be made, the cache that is opened in it says so.
  try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  return folder
}

/// What a trial's caches on disk are opened with: no timer, which would be something to wait for.
func optionsOfTrial(_ repairs: YYDiskRepairs) -> YYDiskCache.Options {
  var options = YYDiskCache.Options()
  options.autoTrimInterval = 0
  options.repairs = repairs
  return options
}

/// The caches on one folder that a trial's threads have opened, each for itself.
///
/// A thread that has opened none uses one that is opened for all such threads.
final class OpenedByThreads<Opened: AnyObject & Sendable>: Sendable {
  /// What a thread has opened; the thread is kept, or a later one could pass for it.
  private struct Own {
    var thread: Thread
    var opened: Opened
  }

  /// `@unchecked Sendable`: only touched under `lock`.
  private final class State: @unchecked Sendable {
    let lock = NSLock()
    var byThread: [ObjectIdentifier: Own] = [:]
    var common: Opened?
  }

  private let state = State()
  private let path = folderOfTrial()
  private let open: @Sendable (_ path: String) throws -> Opened

  init(_ open: @escaping @Sendable (_ path: String) throws -> Opened) {
    self.open = open
  }

  /// What the calling thread uses.
  var current: Opened {
    let thread = ObjectIdentifier(Thread.current)
    if let known = locked({ $0.byThread[thread]?.opened ?? $0.common }) { return known }
    let opened = opened(path)
    locked { $0.common = opened }
    return opened
  }

  /// Opens the folder for the calling thread.
  ///
  /// - Parameter isOddlySpelt: Whether its path is written in another way, which means the same.
  func openForThread(oddlySpelt isOddlySpelt: Bool) {
    let opened = opened(isOddlySpelt ? path + "/." : path)
    let thread = Thread.current
    locked { $0.byThread[ObjectIdentifier(thread)] = Own(thread: thread, opened: opened) }
  }

  /// Lets go of what the calling thread uses: the last reference, unless a call is under way
  /// elsewhere.
  func closeForThread() {
    let closed = locked { state -> Opened? in
      if let own = state.byThread.removeValue(forKey: ObjectIdentifier(Thread.current)) {
        return own.opened
      }
      defer { state.common = nil }
      return state.common
    }
    withExtendedLifetime(closed) {}
  }

  /// How many different ones are open.
  var count: Int {
    locked { state in
      let all = state.byThread.values.map(\.opened) + (state.common.map { [$0] } ?? [])
      return Set(all.map(ObjectIdentifier.init)).count
    }
  }

  private func opened(_ path: String) -> Opened {
    do {
      return try open(path)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private func locked<R>(_ body: (State) -> R) -> R {
    state.lock.withLock { body(state) }
  }
}
