import CInterlockEvents
import Dispatch
import ProcessInspection
import Synchronization

/// Writes down the events of some objects and threads, as any reader may.
///
/// Lives as long as the process, since a thread may still be in the reader when it is removed. Safe
/// from any thread.
final class EventRecorder: Sendable {
  private static let mostEvents = 8192
  private static let mostFollowed = 64

  /// The objects, and the threads by their negated numbers; 0 where there is room.
  private let followed = SharedArray<Atomic<Int>>(count: mostFollowed) { Atomic(0) }
  private let events = SharedArray<HeardEvent?>(count: mostEvents) { nil }
  private let isWritten = SharedArray<Atomic<Bool>>(count: mostEvents) { Atomic(false) }
  private let count = Atomic<Int>(0)
  private let followedCount = Atomic<Int>(0)

  private static let reader: interlock_reader = { event, context in
    guard let event, let context else { return }
    Unmanaged<EventRecorder>.fromOpaque(context).takeUnretainedValue().hear(event.pointee)
  }

  private init() {}

  /// Begins to listen, to all that the calling thread does; `nil` where there are too many readers
  /// already.
  static func start(kinds: UInt32 = .max) -> EventRecorder? {
    let recorder = EventRecorder()
    recorder.follow(thread: Platform.thisThread)
    // Kept for ever, whether it is let in or not.
    let context = Unmanaged.passRetained(recorder).toOpaque()
    return interlock_events_add(reader, context, kinds) ? recorder : nil
  }

  /// Ends that.
  func stop() { interlock_events_remove(Self.reader, Unmanaged.passUnretained(self).toOpaque()) }

  /// Writes down what happens to an object, too, on any thread.
  func follow(_ object: UInt) { follow(key: Int(bitPattern: object)) }

  /// Writes down what happens to a queue, a group or a semaphore, too, on any thread.
  func follow(_ object: DispatchObject) { follow(object.address) }

  /// Writes down all that a thread does, too.
  func follow(thread: Int) { follow(key: -thread) }

  private func follow(key: Int) {
    let index = followedCount.add(1, ordering: .relaxed).oldValue
    precondition(index < Self.mostFollowed, "too many are followed")
    followed[index].store(key, ordering: .relaxed)
  }

  private func hear(_ event: interlock_event) {
    let object = Int(bitPattern: event.object)
    let thread = -Platform.thisThread
    let total = followedCount.load(ordering: .relaxed)
    guard
      (0..<total).contains(where: {
        let key = followed[$0].load(ordering: .relaxed)
        return key == object || key == thread
      })
    else { return }
    let index = count.add(1, ordering: .relaxed).oldValue
    guard index < Self.mostEvents else { return }
    events[index] = HeardEvent(event)
    // Release: who sees that it is written sees it.
    isWritten[index].store(true, ordering: .releasing)
  }

  /// What has been written down, in the order in which it was heard: of a thread, or of what
  /// threads do one after the other, that is the order in which it happened. The first 8,192: a
  /// thread of a pool that is followed may run other tests meanwhile, so what a test asks for must
  /// come early, or be of an object that is followed.
  var all: [HeardEvent] {
    let total = min(count.load(ordering: .relaxed), Self.mostEvents)
    return (0..<total).compactMap {
      isWritten[$0].load(ordering: .acquiring) ? events[$0] : nil
    }
  }

  /// Of one object.
  func events(of object: UInt) -> [HeardEvent] { all.filter { $0.object == object } }

  /// Of one object.
  func events(of object: DispatchObject) -> [HeardEvent] { events(of: object.address) }

  /// Of one object, in words.
  func words(of object: UInt) -> [String] { events(of: object).map(\.words) }

  /// Of one object, in words.
  func words(of object: DispatchObject) -> [String] { words(of: object.address) }
}
