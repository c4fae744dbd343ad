package import Caches
import Interlock

/// A cache that one task owns: calls are commands in an `AsyncStream`, and the task performs them
/// in turn.
///
/// No lock and no actor: what excludes is that there is one consumer. A call is sent from any
/// thread and never waits; it completes on the consumer's.
///
/// As shipped the stream keeps the newest so many commands (`bufferingNewest`), "so that memory
/// stays bounded". A stream that is full drops its oldest element, and with a command goes its
/// completion: whoever sent it waits for ever. `yield` says so in its result, which nobody looks at
/// (SE-0314). Repaired, the stream keeps everything: a bounded buffer is for news, where the latest
/// replaces the rest, and not for commands.
package final class StreamCache: AsyncCache {
  private typealias Command = @Sendable (Storage) -> Void

  private let commands: AsyncStream<Command>.Continuation

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - capacity: How many commands may wait, as shipped.
  ///   - repaired: Whether as many may wait as come.
  package init(capacity: Int = 16, repaired: Bool) {
    let (stream, commands) = AsyncStream.makeStream(
      of: Command.self, bufferingPolicy: repaired ? .unbounded : .bufferingNewest(capacity))
    self.commands = commands
    let storage = Storage(isLocked: true)
    // Ends with the stream, which ends with the cache.
    Task {
      for await command in stream {
        SYNC_POINT("streamcache.consume.took")
        command(storage)
      }
    }
  }

  deinit { commands.finish() }

  /// Sends a command; as shipped it may be dropped, or have another one dropped.
  private func send(_ command: @escaping Command) {
    commands.yield(command)
  }

  /// Sends a command and suspends until it was performed.
  private func perform<R: Sendable>(_ body: @escaping @Sendable (Storage) -> R) async -> R {
    await withCheckedContinuation { continuation in
      send { continuation.resume(returning: body($0)) }
    }
  }

  // MARK: The forms with a completion

  /// Reads a key, and notes the access.
  package func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    send { completion(Self.value(forKey: key, in: $0)) }
  }

  /// Stores a value.
  package func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    send {
      $0.setValue(value, forKey: key, cost: cost)
      completion()
    }
  }

  /// Removes a key.
  package func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    send {
      $0.removeValue(forKey: key)
      completion()
    }
  }

  private static func value(forKey key: String, in storage: Storage) -> [UInt8]? {
    guard let value = storage.value(forKey: key) else { return nil }
    storage.touch(key)
    return value
  }

  // MARK: The asynchronous forms

  /// The value under a key; notes the access.
  package func value(forKey key: String) async -> [UInt8]? {
    await perform { Self.value(forKey: key, in: $0) }
  }

  /// Stores a value.
  package func setValue(_ value: [UInt8], forKey key: String, cost: Int) async {
    await perform { $0.setValue(value, forKey: key, cost: cost) }
  }

  /// Removes a value.
  package func removeValue(forKey key: String) async {
    await perform { $0.removeValue(forKey: key) }
  }

  /// Removes every value.
  package func removeAllValues() async {
    await perform { $0.removeAllValues() }
  }

  /// How many values there are.
  package var count: Int { get async { await perform { $0.count } } }

  /// What all values cost together.
  package var totalCost: Int? { get async { await perform { $0.totalCost } } }

  /// What is stored.
  package func entries() async -> [String: CacheEntry]? {
    await perform { $0.entries() }
  }
}
