import Foundation

extension Programs {
  /// Programs that a watchdog must leave alone, although they publish nothing for longer than its
  /// limit.
  static let quiet: [String: Program] = [
    "listens": { arguments in
      start(arguments)
      // No event shows that a signal will come.
      signal(SIGALRM) { _ in
        _ = write(STDOUT_FILENO, "done\n", 5)
        _exit(0)
      }
      // The process's parent may have blocked it, as Dispatch's workers do.
      var alarms = sigset_t()
      sigemptyset(&alarms)
      sigaddset(&alarms, SIGALRM)
      pthread_sigmask(SIG_UNBLOCK, &alarms, nil)
      alarm(3)
      let (requests, client) = AsyncStream.makeStream(of: Int.self)
      Task { for await _ in requests {} }
      RunLoop.main.run()
      client.finish()
    },
    "computes": { arguments in
      start(arguments)
      let end = ContinuousClock.now + .seconds(3)
      var value: UInt64 = 1
      while ContinuousClock.now < end {
        for _ in 0..<100_000 { value = value &* 6_364_136_223_846_793_005 &+ 1 }
      }
      print("done", value != 0)
    },
    "sleeps": { arguments in
      start(arguments)
      sleep()
    },
    "run-loop": { arguments in
      start(arguments)
      runLoop()
    },
    "task-sleeps": { arguments in
      start(arguments)
      runTask {
        try? await Task.sleep(for: .seconds(3))
        print("done")
      }
    },
    "unsure": { arguments in
      start(arguments)
      unsure()
    },
    "readers-5": { arguments in
      start(arguments)
      readersBehindBarrier(5)
      print("done")
    },
    "members-5": { arguments in
      start(arguments)
      membersOfOneGroup(5)
      print("done")
    },
    "ends": { arguments in
      start(arguments)
      print("done")
    },
  ]

  /// A wait for a thread that sleeps: nothing about it is certain.
  private static func unsure() {
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 10)
      ended.signal()
    }
    ended.wait()
    print("done")
  }

  /// Blocks that each wait until all of them have begun: the pool needs a thread for each.
  static func membersOfOneGroup(_ count: Int) {
    let members = DispatchGroup()
    for _ in 0..<count { members.enter() }
    let all = DispatchGroup()
    for _ in 0..<count {
      DispatchQueue.global().async(group: all) {
        members.leave()
        members.wait()  // members-300: asks
      }
    }
    all.wait()
  }

  private static func sleep() {
    Thread.sleep(forTimeInterval: 3)
    print("done")
  }

  /// An idle run loop.
  private static func runLoop() {
    let keepsItAlive = Timer(timeInterval: 3600, repeats: true) { _ in }
    RunLoop.main.add(keepsItAlive, forMode: .default)
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 3))
    print("done")
  }
}
