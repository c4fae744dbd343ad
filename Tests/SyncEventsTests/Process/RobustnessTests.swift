import Foundation
import Testing

extension SyncEvents {
  /// What the interposed calls must survive, each in a process of its own.
  @Suite("Robustness")
  struct RobustnessTests {
    @Test("calls before main work, even before the first constructor, and are seen")
    func beforeMain() throws {
      let child = try ChildRun("before-main", environment: ["SYNC_EVENTS_BEFORE_MAIN": "1"])
      #expect(child.status == 0, "\(child.errors)")
      try #require(child.numbers.count == 2)
      #expect(child.numbers[0] == 2)
      #expect(child.numbers[1] >= 6)
    }

    @Test("without the reader before main, nothing is heard there")
    func withoutBeforeMain() throws {
      let child = try ChildRun("before-main")
      #expect(child.numbers == [-1, -1])
    }

    @Test("a watchdog from the environment bears calls before main")
    func beforeMainWatched() throws {
      let child = try ChildRun(
        "before-main", options: "hang_limit=30", environment: ["SYNC_EVENTS_BEFORE_MAIN": "1"])
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.numbers.first == 2)
    }

    @Test("a fork while other threads lock gives a child that works, and is not watched")
    func fork() throws {
      let child = try ChildRun("fork", "300", "0")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.numbers == [300])
    }

    @Test("a fork that becomes another program ends as that does")
    func forkAndExec() throws {
      let child = try ChildRun("fork", "50", "1", options: "hang_limit=30")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.numbers == [50])
    }

    @Test("a signal handler may post and try a lock while its thread is in such calls")
    func signals() throws {
      let child = try ChildRun("signals")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.numbers == [0])
    }

    @Test("threads may lock while they end, in each round of their destructors")
    func threadEnd() throws {
      let child = try ChildRun("thread-end", "500")
      #expect(child.status == 0, "\(child.errors)")
      try #require(child.numbers.count == 2)
      // Four rounds of one destructor, and one of another.
      #expect(child.numbers[0] == 500 * 5)
      // Their records are used again, at the latest when a new block of 64 would be needed.
      #expect(child.numbers[1] < 130, "records of threads that are gone: \(child.numbers[1])")
    }

    @Test("ten thousand threads, one after the other or two thousand at once, lose nothing")
    func crowd() throws {
      for (together, most) in [("10", 100), ("2000", 2100)] {
        let child = try ChildRun("crowd", "10000", together)
        #expect(child.status == 0, "\(child.errors)")
        try #require(child.words.count == 3)
        #expect(child.words[0] == "10000")
        #expect(child.numbers[1] < most)
        #expect(child.words[2] == "false")
      }
    }

    @Test("a million queued blocks take at most 64 bytes each, and are listed")
    func queuedBlocks() throws {
      let count = 1_000_000
      let unseen = try ChildRun("blocks", "\(count)", limit: 120)
      let seen = try ChildRun("blocks", "\(count)", "seen", limit: 120)
      try #require(unseen.numbers.count == 3 && seen.numbers.count == 3)
      let bytes = Double(seen.numbers[0] - unseen.numbers[0]) / Double(count)
      print(
        "queued blocks: \(unseen.numbers[0]) bytes unseen, \(seen.numbers[0]) seen: \(bytes) each")
      #expect(bytes <= 64.5)
      // Every block ran; none was listed without a reader, and all of them with one.
      #expect(Array(unseen.numbers.dropFirst()) == [0, count])
      #expect(Array(seen.numbers.dropFirst()) == [count, count])
    }

    @Test("what a library that was opened late calls is seen, and its code is known as a user's")
    func lateLibrary() throws {
      let compiler = "/usr/bin/env"
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("sync-events-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let source = folder.appendingPathComponent("late.c")
      let library = folder.appendingPathComponent("late.so")
      try Self.lateSource.write(to: source, atomically: true, encoding: .utf8)
      let build = Process()
      build.executableURL = URL(fileURLWithPath: compiler)
      build.arguments = ["clang", "-shared", "-fPIC", "-o", library.path, source.path]
      try build.run()
      build.waitUntilExit()
      try #require(build.terminationStatus == 0, "no compiler for C here")
      let child = try ChildRun("late", library.path)
      #expect(child.status == 0, "\(child.errors)")
      // Two numbers of the wait table's count for each change that was written down.
      #expect(child.numbers == [1])
    }

    /// Says whether the wait table's count grows by its calls, and whether they come from a user's code.
    private static let lateSource = """
      #include <pthread.h>
      #include <semaphore.h>
      static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
      static __attribute__((noinline)) unsigned long place(void) {
        return (unsigned long)__builtin_return_address(0);
      }
      int sync_events_late(unsigned long (*progress)(void), _Bool (*is_users)(unsigned long)) {
        if (!is_users(place())) return -2;
        if (is_users((unsigned long)&sem_getvalue)) return -3;
        unsigned long before = progress();
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        sem_t semaphore;
        sem_init(&semaphore, 0, 1);
        sem_wait(&semaphore);
        return progress() > before;
      }
      """

    @Test("where nobody reads, nothing is written down")
    func unread() throws {
      let child = try ChildRun("unread")
      #expect(child.status == 0)
      #expect(child.words == ["false", "0", "0", "0"])
    }

    @Test("a Swift mutex that is waited for names its holder, and the line that waits")
    func swiftMutex() throws {
      let child = try ChildRun("swift-mutex")
      #expect(child.status == 0, "\(child.errors)")
      let lines = child.output.split(separator: "\n")
      #expect(lines.first?.hasPrefix("true ") ?? false, "\(child.output)")
      #expect(lines.first?.contains("Programs+SwiftMutex.swift:") ?? false, "\(child.output)")
      #expect(lines.last == "2")
    }
  }
}
