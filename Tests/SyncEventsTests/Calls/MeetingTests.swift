import CInterlockEvents
import Foundation
import Testing

extension SyncEvents {
  /// Spin locks, barriers of threads, pipes and sockets: what comes before what, of calls that nobody is listed at.
  @Suite("What else orders threads")
  struct MeetingTests {
    /// The changes that are told of an object, 0 for none, while `body` runs on this thread.
    private static func told(of object: UInt, _ body: () throws -> Void) throws -> [Int64] {
      let recorder = try #require(EventRecorder.start(kinds: INTERLOCK_EVENT_ORDER.rawValue))
      defer { recorder.stop() }
      try body()
      return recorder.events(of: object).map(\.value)
    }

    private static let gives = Int64(INTERLOCK_ORDER_GIVES.rawValue)
    private static let gets = Int64(INTERLOCK_ORDER_GETS.rawValue)
    private static let somebody = Int64(INTERLOCK_ORDER_AFTER_SOMEBODY.rawValue)

    @Test("a spin lock is got and given, and not got where it is taken")
    func spinLock() throws {
      let lock = allocated(pthread_spinlock_t())
      pthread_spin_init(lock, Int32(PTHREAD_PROCESS_PRIVATE))
      let found = try Self.told(of: UInt(bitPattern: lock)) {
        #expect(pthread_spin_lock(lock) == 0)
        #expect(pthread_spin_trylock(lock) == EBUSY)
        #expect(pthread_spin_unlock(lock) == 0)
        #expect(pthread_spin_trylock(lock) == 0)
        #expect(pthread_spin_unlock(lock) == 0)
      }
      #expect(found == [Self.gets, Self.gives, Self.gets, Self.gives])
    }

    @Test("a barrier is given before the wait, and got behind it; one alone is told so")
    func barrier() throws {
      let barrier = allocated(pthread_barrier_t())
      pthread_barrier_init(barrier, nil, 1)
      let found = try Self.told(of: UInt(bitPattern: barrier)) {
        #expect(pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
      }
      #expect(found == [Self.gives, Self.gets])
    }

    @Test(
      "who reads a pipe or a socket comes after somebody; who reads a file, or fails, does not"
    )
    func reads() throws {
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      var sockets: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
      let file = open("/proc/self/exe", O_RDONLY)
      defer { for number in ends + sockets + [file] { close(number) } }
      var bytes = [UInt8](repeating: 7, count: 8)
      #expect(write(ends[1], &bytes, 8) == 8)
      #expect(send(sockets[1], &bytes, 8, 0) == 8)
      for (count, take) in [
        (1, { read(ends[0], $0, 1) }), (1, { recv(sockets[0], $0, 1, 0) }),
        (1, { recvfrom(sockets[0], $0, 1, 0, nil, nil) }),
        (0, { read(file, $0, 8) }),
      ] as [(Int, (UnsafeMutableRawPointer) -> Int)] {
        let found = try Self.told(of: 0) { #expect(take(&bytes) > 0) }
        #expect(found == Array(repeating: Self.somebody, count: count))
      }
      let none = try Self.told(of: 0) {
        #expect(read(-1, &bytes, 1) == -1)
        #expect(errno == EBADF)
      }
      #expect(none.isEmpty)
    }
  }
}
