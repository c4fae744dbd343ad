import CInterlockEvents
import Foundation
import Testing

extension SyncEvents {
  /// Orderings of threads by calls that the wait table does not list as waits: spin locks, thread
  /// barriers, pipes and sockets.
  @Suite("Other orderings of threads")
  struct MeetingTests {
    /// The changes published for an object (0: no object) while `body` runs on this thread.
    private static func told(of object: UInt, _ body: () throws -> Void) throws -> [Int64] {
      let recorder = try #require(EventRecorder.start(kinds: INTERLOCK_EVENT_ORDER.rawValue))
      defer { recorder.stop() }
      try body()
      return recorder.events(of: object).map(\.value)
    }

    private static let gives = Int64(INTERLOCK_ORDER_RELEASE.rawValue)
    private static let gets = Int64(INTERLOCK_ORDER_ACQUIRE.rawValue)
    private static let afterUnknown = Int64(INTERLOCK_ORDER_AFTER_UNKNOWN.rawValue)

    @Test("A spin lock is acquired and released, and not acquired while it is held")
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

    @Test("A barrier is released before the wait and acquired after it, even by a single thread")
    func barrier() throws {
      let barrier = allocated(pthread_barrier_t())
      pthread_barrier_init(barrier, nil, 1)
      let found = try Self.told(of: UInt(bitPattern: barrier)) {
        #expect(pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
      }
      #expect(found == [Self.gives, Self.gets])
    }

    @Test("A pipe or socket orders a thread after an unknown one; a file or a failure does not")
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
      var message = msghdr()
      var vector = iovec(iov_base: nil, iov_len: 1)
      var looked = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
      typealias Call = (UnsafeMutableRawPointer) -> Int
      let calls: [(count: Int, call: Call)] = [
        (1, { read(ends[0], $0, 1) }), (1, { recv(sockets[0], $0, 1, 0) }),
        (1, { recvfrom(sockets[0], $0, 1, 0, nil, nil) }),
        (
          1,
          { bytes in
            vector.iov_base = bytes
            return readv(ends[0], &vector, 1)
          }
        ),
        (
          1,
          { bytes in
            vector.iov_base = bytes
            return withUnsafeMutablePointer(to: &vector) {
              message.msg_iov = $0
              message.msg_iovlen = 1
              return recvmsg(sockets[0], &message, 0)
            }
          }
        ),
        (1, { _ in Int(poll(&looked, 1, 0)) }), (1, { write(ends[1], $0, 1) }),
        (0, { read(file, $0, 8) }),
      ]
      for (count, call) in calls {
        let found = try Self.told(of: 0) { #expect(call(&bytes) > 0) }
        #expect(found == Array(repeating: Self.afterUnknown, count: count))
      }
      let none = try Self.told(of: 0) {
        #expect(read(-1, &bytes, 1) == -1)
        #expect(errno == EBADF)
        looked.events = 0
        #expect(poll(&looked, 1, 0) == 0)
      }
      #expect(none.isEmpty)
    }

    @Test("A new connection and an awaited signal order a thread after an unknown one")
    func connections() throws {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      let caller = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let made = try withUnsafeMutablePointer(to: &address) { address in
        try address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          #expect(bind(listener, address, length) == 0)
          #expect(listen(listener, 1) == 0)
          #expect(getsockname(listener, address, &length) == 0)
          return try Self.told(of: 0) {
            let result = connect(caller, address, length)
            #expect(result == 0)
          }
        }
      }
      #expect(made == [Self.afterUnknown])
      let found = try Self.told(of: 0) {
        let accepted = accept(listener, nil, nil)
        #expect(accepted >= 0)
        close(accepted)
      }
      #expect(found == [Self.afterUnknown])
      for file in [listener, caller] { close(file) }
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGUSR2)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      defer { pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
      let sent = try Self.told(of: 0) {
        pthread_kill(pthread_self(), SIGUSR2)
        var signal: Int32 = 0
        #expect(sigwait(&signals, &signal) == 0)
        #expect(signal == SIGUSR2)
      }
      #expect(sent == [Self.afterUnknown])
    }
  }
}
