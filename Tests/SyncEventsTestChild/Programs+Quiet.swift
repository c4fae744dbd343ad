import Foundation
import SyncEventsTestC

extension Programs {
  /// Programs that a watchdog must not end, although they publish nothing for longer than its
  /// limit.
  static let quiet: [String: Program] = [
    "listens": { arguments in
      start(arguments)
      endByAlarm(after: 3)
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
    "nested-syncs": { arguments in
      start(arguments)
      nestedSyncs(20)
      print("done")
    },
    "run-loop-timer": { arguments in
      start(arguments)
      signalByTimer(after: 0.9)
    },
    "own-timer": { arguments in
      start(arguments)
      signalByOwnTimer(after: 0.9)
    },
    "timed-condition-ends": { arguments in
      start(arguments)
      let condition = NSCondition()
      condition.lock()
      Thread.detachNewThread {
        condition.lock()
        // The other thread's time passes meanwhile: it waits for the mutex.
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 1)
        condition.unlock()
      }
      _ = condition.wait(until: Date(timeIntervalSinceNow: 0.1))
      print("done")
    },
    "signal-handler": { arguments in
      start(arguments)
      sync_events_wait_for_handler(1)
      print("done")
    },
    "signal-wait": { arguments in
      // Blocked before the watchdog's thread starts, which would get the signal otherwise.
      var alarms = sigset_t()
      sigemptyset(&alarms)
      sigaddset(&alarms, SIGALRM)
      pthread_sigmask(SIG_BLOCK, &alarms, nil)
      start(arguments)
      let arrived = DispatchSemaphore(value: 0)
      Thread.detachNewThread { [alarms] in
        var (alarms, number) = (alarms, Int32(0))
        sigwait(&alarms, &number)
        arrived.signal()
      }
      alarm(1)
      arrived.wait()
      print("done")
    },
    "shared-semaphore": { arguments in
      start(arguments)
      waitForChild("semaphore")
    },
    "shared-mutex": { arguments in
      start(arguments)
      waitForChild("mutex")
    },
    "shared-condition": { arguments in
      start(arguments)
      waitForChild("condition")
    },
    "reads": { arguments in
      start(arguments)
      readBesideWorker()
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
    "asked": { arguments in
      start(arguments)
      suspendTasks()
      for _ in 0..<50 { Task { await onContinuation() } }  // asked: 50 made
      let (lock, queue) = (NSLock(), DispatchQueue(label: "asked"))
      lock.lock()  // asked: holds the lock
      let isOnQueue = DispatchSemaphore(value: 0)
      Thread {
        queue.sync {
          isOnQueue.signal()
          lock.lock()  // asked: locks
        }
      }.start()
      isOnQueue.wait()
      Thread {
        queue.sync {}  // asked: syncs
      }.start()
      print(reportsOnRequest(until: arguments.dropFirst()))
      lock.unlock()
    },
    "handles-quit": { arguments in
      signal(SIGQUIT) { _ in
        _ = write(STDOUT_FILENO, "own\n", 4)
        _exit(0)
      }
      start(arguments)
      kill(getpid(), SIGQUIT)
      while true { pause() }
    },
  ]

  private static func onContinuation() async {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }  // asked: 50 wait
  }

  private static func resumed() async {
    await withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in task.resume() }
  }

  private actor Ledger {
    nonisolated let (isEntered, leaves) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    func hold() {
      isEntered.signal()
      leaves.wait()
    }
    func add() {}
  }

  /// Suspends a task in each possible way.
  private static func suspendTasks() {
    let (elements, more) = AsyncStream.makeStream(of: Int.self)
    Task {  // asked: makes the reader
      for await _ in elements {}  // asked: reads
      more.finish()
    }
    Task {  // asked: makes the group
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await onContinuation() }  // asked: makes the child
        await group.waitForAll()
      }
    }
    // These tasks end.
    for _ in 0..<20 { Task { await resumed() } }
    let ledger = Ledger()
    Task { await ledger.hold() }
    ledger.isEntered.wait()
    Task { await ledger.add() }  // asked: enters
  }

  /// Sends SIGQUIT to this process until a report has these parts: only the tasks know when they
  /// have suspended. Returns the last report.
  private static func reportsOnRequest(until parts: ArraySlice<String>) -> String {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0, dup2(ends[1], STDERR_FILENO) >= 0 else { return "no pipe" }
    while true {
      kill(getpid(), SIGQUIT)
      var report = ""
      while !report.contains("interlock: the process goes on\n") {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(ends[0], &bytes, bytes.count)
        guard count > 0 else { return report }
        report += String(decoding: bytes.prefix(count), as: UTF8.self)
      }
      if parts.allSatisfy(report.contains) { return report }
    }
  }

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

  /// Each block waits until all of them have begun, so the pool needs a thread for each.
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

  /// Synchronous calls, each in the block of the one before.
  private static func nestedSyncs(_ depth: Int) {
    guard depth > 0 else { return }
    DispatchQueue(label: "nested \(depth)").sync { nestedSyncs(depth - 1) }
  }

  /// A thread waits for a semaphore that a timer of the main run loop signals. The process ends
  /// then.
  private static func signalByTimer(after seconds: Double) {
    let fired = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      fired.wait()
      print("done")
      exit(0)
    }
    let end = Date(timeIntervalSinceNow: seconds)
    let timer = Timer(fire: end, interval: 0, repeats: false) { _ in fired.signal() }
    RunLoop.main.add(timer, forMode: .default)
    RunLoop.main.run()
  }

  /// A thread waits for a semaphore that another signals after a timer of its own, in an epoll of
  /// its own, as the loops of network libraries have them.
  private static func signalByOwnTimer(after seconds: Double) {
    let fired = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      sync_events_wait_for_own_timer(Int(seconds * 1e9))
      fired.signal()
    }
    fired.wait()
    print("done")
  }

  private static func waitForChild(_ what: String) {
    print(sync_events_wait_for_child(what, 1) ? "done" : "failed")
  }

  /// An idle program: it reads requests, and a worker waits for work. An alarm ends it.
  private static func readBesideWorker() {
    endByAlarm(after: 3)
    Thread.detachNewThread {
      let work = NSCondition()
      work.lock()
      while true { work.wait() }
    }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return print("no pipe") }
    var request: UInt8 = 0
    while read(ends[0], &request, 1) < 0 {}
  }

  /// Prints the last line and ends the process. No event shows that the signal will come.
  private static func endByAlarm(after seconds: UInt32) {
    signal(SIGALRM) { _ in
      _ = write(STDOUT_FILENO, "done\n", 5)
      _exit(0)
    }
    // Unblocked: the process's parent may have blocked the signal, as Dispatch's workers do.
    var alarms = sigset_t()
    sigemptyset(&alarms)
    sigaddset(&alarms, SIGALRM)
    pthread_sigmask(SIG_UNBLOCK, &alarms, nil)
    alarm(seconds)
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
