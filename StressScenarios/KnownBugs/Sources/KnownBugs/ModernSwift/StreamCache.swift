import Caches
import Interlock

/// A cache that one task owns: calls are commands in an `AsyncStream`, and the task performs them
/// in turn.
///
/// No lock and no actor: the single consumer gives mutual exclusion. Any thread sends a call
/// without waiting; the call completes on the consumer's thread.
///
/// As shipped the stream buffers a limited number of commands (`bufferingNewest`), "so that memory
/// stays bounded". A full stream drops its oldest element, and with that command its completion:
/// its caller waits forever. The result of `yield` says so (SE-0314), but the cache ignores it.
/// Repaired, the stream is unbounded: a bounded buffer suits updates, of which the latest replaces
/// the rest, and not commands.
final class StreamCache: AsyncCache {
  private typealias Command = @Sendable (Storage) -> Void

  private let commands: AsyncStream<Command>.Continuation

  /// As shipped, 16 commands may wait; repaired, any number.
  init(repaired: Bool) {
    let (stream, commands) = AsyncStream.makeStream(
      of: Command.self, bufferingPolicy: repaired ? .unbounded : .bufferingNewest(16))
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

  /// Sends a command; as shipped, the stream may drop this command or an older one.
  private func send(_ command: @escaping Command) {
    commands.yield(command)
  }

  /// Sends a command and suspends until the consumer has performed it.
  private func perform<R: Sendable>(_ body: @escaping @Sendable (Storage) -> R) async -> R {
    await withCheckedContinuation { continuation in
      send { continuation.resume(returning: body($0)) }
    }
  }

  // MARK: The forms with a completion

  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    send { completion(Self.value(forKey: key, in: $0)) }
  }

  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    send {
      $0.setValue(value, forKey: key, cost: cost)
      completion()
    }
  }

  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
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

  func value(forKey key: String) async -> [UInt8]? {
    await perform { Self.value(forKey: key, in: $0) }
  }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) async {
    await perform { $0.setValue(value, forKey: key, cost: cost) }
  }

  func removeValue(forKey key: String) async { await perform { $0.removeValue(forKey: key) } }

  func removeAllValues() async { await perform { $0.removeAllValues() } }

  var count: Int { get async { await perform { $0.count } } }

  var totalCost: Int? { get async { await perform { $0.totalCost } } }

  func entries() async -> [String: CacheEntry]? { await perform { $0.entries() } }
}
