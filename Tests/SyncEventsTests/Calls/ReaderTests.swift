import CInterlockAnalysis
import CInterlockEvents
import Foundation
import ProcessInspection
import Testing

extension SyncEvents {
  /// How readers are added and removed.
  @Suite("Readers")
  struct ReaderTests {
    @Test("Several readers each get the events of the kinds that they requested")
    func several() throws {
      let all = try #require(EventRecorder.start())
      defer { all.stop() }
      let releases = try #require(
        EventRecorder.start(kinds: UInt32(INTERLOCK_EVENT_RELEASE.rawValue)))
      defer { releases.stop() }
      let mutex = MutexTests.mutex()
      pthread_mutex_lock(mutex)
      pthread_mutex_unlock(mutex)
      #expect(all.words(of: mutex.address) == ["acquire mutex", "release mutex"])
      #expect(releases.words(of: mutex.address) == ["release mutex"])
    }

    @Test("A removed reader gets no more events, and its slot is used again")
    func removed() throws {
      let mutex = MutexTests.mutex()
      // Adds more readers than there are slots, one after another.
      for _ in 0..<20 {
        let recorder = try #require(EventRecorder.start())
        pthread_mutex_lock(mutex)
        recorder.stop()
        pthread_mutex_unlock(mutex)
        #expect(recorder.words(of: mutex.address) == ["acquire mutex"])
      }
    }

    @Test("A reader is refused if there is no slot")
    func tooMany() async {
      // In a separate process: other tests of this process start readers that stay.
      await #expect(processExitsWith: .success) {
        var recorders: [EventRecorder] = []
        while let recorder = EventRecorder.start() {
          recorders.append(recorder)
          try #require(recorders.count <= Int(INTERLOCK_READERS))
        }
        // The wait table takes one slot if this process has started it.
        #expect(recorders.count == Int(INTERLOCK_READERS) - (interlock_waits_started() ? 1 : 0))
        let mutex = MutexTests.mutex()
        pthread_mutex_lock(mutex)
        pthread_mutex_unlock(mutex)
        for recorder in recorders {
          #expect(recorder.words(of: mutex.address) == ["acquire mutex", "release mutex"])
          recorder.stop()
        }
        let another = try #require(EventRecorder.start())
        another.stop()
      }
    }

    @Test("A hidden thread publishes nothing until it is shown again; hiding nests")
    func hidden() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let mutex = MutexTests.mutex()
      let queue = DispatchQueue(label: "test.hidden")
      recorder.follow(queue)
      interlock_events_hide_thread(true)
      interlock_events_hide_thread(true)
      pthread_mutex_lock(mutex)
      pthread_mutex_unlock(mutex)
      interlock_events_hide_thread(false)
      pthread_mutex_lock(mutex)
      queue.sync {}
      queue.async {}
      interlock_events_hide_thread(false)
      #expect(recorder.words(of: mutex.address).isEmpty)
      #expect(recorder.words(of: queue) == ["create queue"])
      pthread_mutex_unlock(mutex)
      #expect(recorder.words(of: mutex.address) == ["release mutex"])
    }

    @Test("A reader does not get the events of its own calls")
    func recursion() throws {
      let calls = SharedArray<Int>(count: 2) { 0 }
      let own = Platform.thisThread
      let mutex = MutexTests.mutex()
      let context = Context(mutex: mutex, thread: own, calls: calls)
      let pointer = Unmanaged.passRetained(context).toOpaque()
      let reader: interlock_reader = { _, pointer in
        guard let pointer else { return }
        let context = Unmanaged<Context>.fromOpaque(pointer).takeUnretainedValue()
        guard Platform.thisThread == context.thread else { return }
        context.calls[0] += 1
        pthread_mutex_lock(context.mutex)
        pthread_mutex_unlock(context.mutex)
        context.calls[1] += 1
      }
      let kinds = UInt32(INTERLOCK_EVENT_ACQUIRE.rawValue)
      try #require(interlock_events_add(reader, pointer, kinds))
      let other = MutexTests.mutex()
      pthread_mutex_lock(other)
      interlock_events_remove(reader, pointer)
      pthread_mutex_unlock(other)
      #expect(calls[0] > 0)
      #expect(calls[0] == calls[1])
    }

    private final class Context: @unchecked Sendable {
      // Unchecked: only the test's own thread uses it.
      let mutex: UnsafeMutablePointer<pthread_mutex_t>
      let thread: Int
      let calls: SharedArray<Int>

      init(mutex: UnsafeMutablePointer<pthread_mutex_t>, thread: Int, calls: SharedArray<Int>) {
        self.mutex = mutex
        self.thread = thread
        self.calls = calls
      }
    }
  }
}
