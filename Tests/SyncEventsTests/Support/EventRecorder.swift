import CInterlockEvents
import Dispatch
import ProcessInspection
import Synchronization

/// Records the events of some objects and threads, as any reader may.
///
/// Lives as long as the process, since a thread may still be in the reader when it is removed. Safe
/// from any thread.
final class EventRecorder: Sendable {
  private static let mostEvents = 8192
  private static let mostFollowed = 64

  /// The objects, and the negated numbers of the threads; 0 for a free slot.
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

  /// Begins to record all events of the calling thread; `nil` if there are too many readers.
  /// `follow` adds other threads and objects.
  static func start(kinds: UInt32 = .max) -> EventRecorder? {
    let recorder = EventRecorder()
    recorder.follow(thread: Platform.thisThread)
    // Kept for ever, whether the reader is accepted or not.
    let context = Unmanaged.passRetained(recorder).toOpaque()
    return interlock_events_add(reader, context, kinds) ? recorder : nil
  }

  /// Stops recording.
  func stop() { interlock_events_remove(Self.reader, Unmanaged.passUnretained(self).toOpaque()) }

  /// Records the events of this object, too, on any thread.
  func follow(_ object: UInt) { follow(key: Int(bitPattern: object)) }

  /// Records the events of this queue, group or semaphore, too, on any thread.
  func follow(_ object: DispatchObject) { follow(object.address) }

  /// Records all events of this thread, too.
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
    // Release: a thread that sees the flag sees the event.
    isWritten[index].store(true, ordering: .releasing)
  }

  /// The recorded events in order: for one thread, or threads that run one after another, the order
  /// in which they happened. Only the first 8,192: a followed pool thread may run other tests
  /// meanwhile, so a test's events must come early, or be of a followed object.
  var all: [HeardEvent] {
    let total = min(count.load(ordering: .relaxed), Self.mostEvents)
    return (0..<total).compactMap {
      isWritten[$0].load(ordering: .acquiring) ? events[$0] : nil
    }
  }

  /// The events of an object.
  func events(of object: UInt) -> [HeardEvent] { all.filter { $0.object == object } }

  /// The events of an object.
  func events(of object: DispatchObject) -> [HeardEvent] { events(of: object.address) }

  /// The events of an object, as text.
  func words(of object: UInt) -> [String] { events(of: object).map(\.words) }

  /// The events of an object, as text.
  func words(of object: DispatchObject) -> [String] { words(of: object.address) }
}
