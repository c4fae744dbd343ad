import Foundation
import Testing

extension SyncEvents {
  /// Conditions that the interposed calls must survive, each in a separate process.
  @Suite("Robustness")
  struct RobustnessTests {
    @Test("A process that is refused threads says so once")
    func refusedThreads() throws {
      let child = try ChildRun("refused-threads")
      #expect(child.output == "true\ntrue\ntrue\n")
      #expect(
        child.errors
          == "interlock: the system refuses this process a thread (EAGAIN): see 'ulimit -u' and"
          + " 'ulimit -v'\n", "\(child.errors)")
    }

    @Test("Calls before main work, even before the first constructor, and are seen")
    func beforeMain() throws {
      let child = try ChildRun("before-main", environment: ["SYNC_EVENTS_BEFORE_MAIN": "1"])
      #expect(child.status == 0, "\(child.errors)")
      try #require(child.numbers.count == 2)
      #expect(child.numbers[0] == 2)
      #expect(child.numbers[1] >= 6)
    }

    @Test("Without the reader before main, nothing is recorded before main")
    func withoutBeforeMain() throws {
      let child = try ChildRun("before-main")
      #expect(child.numbers == [-1, -1])
    }

    @Test("A watchdog from the environment survives calls before main")
    func beforeMainWatched() throws {
      let child = try ChildRun(
        "before-main", options: "hang_limit=30", environment: ["SYNC_EVENTS_BEFORE_MAIN": "1"])
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.numbers.first == 2)
    }

    @Test("A fork while other threads lock gives a child that works, and is not watched")
    func fork() throws {
      let child = try ChildRun("fork", "300", "0")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.numbers == [300])
    }

    @Test("A fork that becomes another program ends as that program does")
    func forkAndExec() throws {
      let child = try ChildRun("fork", "50", "1", options: "hang_limit=30")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.numbers == [50])
    }

    @Test("A signal handler may post and try a lock while its thread posts or locks")
    func signals() throws {
      let child = try ChildRun("signals")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.numbers == [0])
    }

    @Test("A handler that writes its stack too late damages no stack of a later round")
    func lateStack() throws {
      #expect(try ChildRun("late-stack").words == ["0"])
    }

    @Test("A lock's events take the shortest way unless a second reader reads them")
    func directLockEvents() throws {
      #expect(try ChildRun("direct-lock-events").words == ["3"])
    }

    @Test("A program finds each signal handler as it has set it")
    func handlers() throws {
      #expect(try ChildRun("handlers").words == ["0"])
    }

    @Test("Threads may lock while they end, in each round of their destructors")
    func threadEnd() throws {
      let child = try ChildRun("thread-end", "500")
      #expect(child.status == 0, "\(child.errors)")
      try #require(child.numbers.count == 2)
      // Four rounds of one destructor, and one of another.
      #expect(child.numbers[0] == 500 * 5)
      // Their records are reused, at the latest before a new block of 64 would be needed.
      #expect(child.numbers[1] < 130, "records of threads that are gone: \(child.numbers[1])")
    }

    @Test("Ten thousand threads, one after the other or two thousand at once, lose nothing")
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

    @Test("A million queued blocks take at most 64 bytes each, and are listed")
    func queuedBlocks() throws {
      let count = 1_000_000
      let unseen = try ChildRun("blocks", "\(count)", limit: 120)
      let seen = try ChildRun("blocks", "\(count)", "seen", limit: 120)
      try #require(unseen.numbers.count == 3 && seen.numbers.count == 3)
      let bytes = Double(seen.numbers[0] - unseen.numbers[0]) / Double(count)
      print(
        "queued blocks: \(unseen.numbers[0]) bytes unseen, \(seen.numbers[0]) seen: \(bytes) each")
      #expect(bytes <= 64.5)
      // Every block ran. Without a reader, none was listed; with a reader, all were.
      #expect(Array(unseen.numbers.dropFirst()) == [0, count])
      #expect(Array(seen.numbers.dropFirst()) == [count, count])
    }

    @Test("A reader that reuses a slot, at any instruction of a call, gets its own context")
    func mixedReaders() throws {
      let child = try ChildRun("mixed-readers")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.numbers == [0])
    }

    @Test("A fork while other threads hold locks of the harness gives a child that works")
    func forkInLocks() throws {
      let child = try ChildRun("fork-in-locks", "300", options: "predict=on hang_limit=30")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.numbers == [300])
    }

    @Test("A signal handler may post while another thread opens a library")
    func postWhileLoading() throws {
      let source = """
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        __attribute__((constructor)) static void wait_for_test(void) {
          int arrived, go_on;
          char byte = 0;
          if (sscanf(getenv("SYNC_EVENTS_PIPES"), "%d %d", &arrived, &go_on) != 2) abort();
          if (write(arrived, &byte, 1) != 1 || read(go_on, &byte, 1) != 1) abort();
        }
        """
      let child = try CompiledC.library("waits.so", source) {
        try ChildRun("post-while-loading", $0)
      }
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.numbers == [1])
    }

    @Test("Without a reader, nothing is recorded")
    func unread() throws {
      let child = try ChildRun("unread")
      #expect(child.status == 0)
      #expect(child.words == ["false", "0", "0", "0"])
    }

    @Test("A contended Swift mutex has its holder, and the line that waits")
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
