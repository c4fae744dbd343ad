import Foundation

/// The number of calls of a destructor of thread-specific data.
nonisolated(unsafe) private var destroyed = 0

private let key: pthread_key_t = {
  var key = pthread_key_t()
  pthread_key_create(&key) { _ in destroyed += 1 }
  return key
}()

/// A key whose destructor sets its data again each time, as CoreFoundation's does.
nonisolated(unsafe) private var stubbornKey = pthread_key_t()
private let stubbornKeyIsMade: Bool =
  pthread_key_create(&stubbornKey) { pthread_setspecific(stubbornKey, $0) } == 0

nonisolated(unsafe) private var initialised = 0
nonisolated(unsafe) private var initialiser = pthread_self()
nonisolated(unsafe) private var firstOnce = pthread_once_t()
nonisolated(unsafe) private var secondOnce = pthread_once_t()
private let initialiserLock = NSLock()

/// The number of runs of the body: state that outlives an execution.
nonisolated(unsafe) private var runs = 0

let threadBodies = [
  Body("processors") { [outside = ProcessInfo.processInfo.activeProcessorCount] in
    ProcessInfo.processInfo.activeProcessorCount == outside
  },
  Body("state-left-behind") {
    runs += 1
    let lock = NSLock()
    let locks = runs
    runThreads({ for _ in 0..<locks { lock.withLock {} } }, { lock.withLock {} })
    return true
  },
  Body("random") {
    let lock = NSLock()
    let isOdd = UInt32.random(in: 0...1) == 1
    runThreads({ if isOdd { lock.withLock {} } }, { lock.withLock {} })
    return true
  },
  Body("specific-data") {
    destroyed = 0
    let lock = NSLock()
    let leaked = Shared(0)
    let use: @Sendable () -> Void = {
      lock.withLock {
        if pthread_getspecific(key) != nil { leaked.value += 1 }
        if Thread.current.threadDictionary["used"] != nil { leaked.value += 1 }
      }
      Thread.current.threadDictionary["used"] = true
      pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
      lock.withLock {}
    }
    runThreads(use, use)
    return leaked.value == 0 && destroyed == 2
  },
  Body("specific-data-set-again") {
    guard stubbornKeyIsMade else { return false }
    let leaked = Shared(0)
    let use: @Sendable () -> Void = {
      if pthread_getspecific(stubbornKey) != nil { leaked.value += 1 }
      pthread_setspecific(stubbornKey, UnsafeRawPointer(bitPattern: 1))
    }
    for _ in 0..<3 { runThreads(use) }
    return leaked.value == 0
  },
  Body("tried-join") {
    let signalled = DispatchSemaphore(value: 0)
    let thread = startThread { signalled.signal() }
    signalled.wait()
    let result = pthread_tryjoin_np(thread, nil)
    Outcomes.note(result == 0 ? "joined" : result == EBUSY ? "busy" : "\(result)")
    if result != 0 { pthread_join(thread, nil) }
    return true
  },
  Body("semaphore-value") {
    let semaphore = Cell(sem_t())
    sem_init(semaphore.pointer, 0, 0)
    runThreads(
      { sem_post(semaphore.pointer) },
      {
        var value: Int32 = -1
        sem_getvalue(semaphore.pointer, &value)
        Outcomes.note("\(value)")
      })
    return true
  },
  Body("threads-of-c11") {
    let mutex = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
    defer { mutex.deallocate() }
    mutex.initializeMemory(as: UInt8.self, repeating: 0, count: 64)
    return mtx_lock(mutex) == 0
  },
  Body("waiting-poll") {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    defer { for end in ends { close(end) } }
    var waited = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
    return poll(&waited, 1, 10) == 0
  },
  Body("joined-value") {
    var thread = pthread_t()
    pthread_create(&thread, nil, { _ in UnsafeMutableRawPointer(bitPattern: 42) }, nil)
    var result: UnsafeMutableRawPointer?
    pthread_join(thread, &result)
    var ended = pthread_t()
    pthread_create(
      &ended, nil,
      { _ -> UnsafeMutableRawPointer? in
        pthread_exit(UnsafeMutableRawPointer(bitPattern: 7))
      }, nil)
    var other: UnsafeMutableRawPointer?
    pthread_join(ended, &other)
    return result == UnsafeMutableRawPointer(bitPattern: 42)
      && other == UnsafeMutableRawPointer(bitPattern: 7)
  },
  Body("foundation-threads") {
    let lock = NSCondition()
    let ended = Shared(0)
    let count = Shared(0)
    for _ in 0..<2 {
      Thread.detachNewThread {
        let old = lock.withLock { count.value }
        lock.withLock { count.value = old + 1 }
        lock.withLock { ended.value += 1 }
        lock.signal()
      }
    }
    lock.lock()
    while ended.value < 2 { lock.wait() }
    lock.unlock()
    return count.value == 2
  },
  Body("many-threads") {
    let lock = NSLock()
    let count = Shared(0)
    let threads = (0..<200).map { _ in startThread { lock.withLock { count.value += 1 } } }
    for thread in threads { pthread_join(thread, nil) }
    return count.value == 200
  },
  Body("once") {
    firstOnce = pthread_once_t()
    initialised = 0
    let use: @Sendable () -> Void = {
      pthread_once(&firstOnce) {
        initialiserLock.withLock { initialised += 1 }
      }
      Outcomes.note("\(initialised)")
    }
    runThreads(use, use)
    return initialised == 1
  },
  Body("once-order") {
    firstOnce = pthread_once_t()
    let use: @Sendable (String) -> Void = { name in
      pthread_once(&firstOnce) { initialiser = pthread_self() }
      if pthread_equal(initialiser, pthread_self()) != 0 { Outcomes.note("\(name) ran it") }
    }
    runThreads({ use("A") }, { use("B") })
    return true
  },
  Body("crossed-initialisers") {
    firstOnce = pthread_once_t()
    secondOnce = pthread_once_t()
    runThreads(
      {
        pthread_once(&firstOnce) {
          initialiserLock.withLock {}
          pthread_once(&secondOnce) {}
        }
      },
      {
        pthread_once(&secondOnce) {
          initialiserLock.withLock {}
          pthread_once(&firstOnce) {}
        }
      })
    return true
  },
  Body("sleeps") {
    let order = Shared("")
    let begin = time(after: 0, clock: CLOCK_MONOTONIC)
    runThreads(
      {
        sleep(7200)
        order.value += "B"
      },
      {
        usleep(3_600_000_000 - 1)
        order.value += "A"
      })
    let end = time(after: 0, clock: CLOCK_MONOTONIC)
    Outcomes.note(order.value)
    return end.tv_sec - begin.tv_sec >= 7200
  },
  Body("same-instant") {
    let order = Shared("")
    runThreads(
      {
        sleep(1)
        order.value += "A"
      },
      {
        sleep(1)
        order.value += "B"
      })
    Outcomes.note(order.value)
    return true
  },
  Body("trap") {
    let lock = NSLock()
    let count = Shared(0)
    let add: @Sendable () -> Void = {
      let old = lock.withLock { count.value }
      lock.withLock { count.value = old + 1 }
    }
    runThreads(add, add)
    precondition(count.value == 2, "an update was lost")
    return true
  },
  Body("exit") {
    // The process ends in some orders.
    let lock = NSLock()
    let count = Shared(0)
    let add: @Sendable () -> Void = {
      let old = lock.withLock { count.value }
      lock.withLock { count.value = old + 1 }
    }
    runThreads(add, add)
    if count.value != 2 { exit(3) }
    return true
  },
  Body("never-ends") {
    let number = "\(getpid())\n"
    // Blocked, because the explorer would end the execution by a signal.
    var all = sigset_t()
    sigfillset(&all)
    sigprocmask(SIG_BLOCK, &all, nil)
    write(1, number, number.utf8.count)
    while true {}
  },
  Body("killed") {
    kill(getpid(), SIGKILL)
    return true
  },
  Body("deep-recursion") {
    let bottom = Shared(Int.max)
    func descend(_ depth: Int) -> Int {
      depth == bottom.value ? 0 : descend(depth + 1) + depth
    }
    return descend(0) == 0
  },
  Body("livelock") {
    while true { sched_yield() }
  },
  Body("polling") {
    let lock = NSLock()
    let isDone = Shared(false)
    runThreads(
      { while !lock.withLock({ isDone.value }) {} },
      { lock.withLock { isDone.value = true } })
    return true
  },
  Body("fractions-of-a-second") {
    // Foundation sleeps in a loop until the clock shows the time, which is rounded.
    for _ in 0..<50 { Thread.sleep(forTimeInterval: 0.02) }
    return true
  },
  Body("endless") {
    let go = Shared(true)
    while go.value {}
    return true
  },
  Body("empty-pipe") {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    var byte: UInt8 = 0
    let count = read(ends[0], &byte, 1)
    return count == 1
  },
  Body("pipe") {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    defer { for end in ends { close(end) } }
    var byte: UInt8 = 1
    return write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1
  },
  Body("left-behind") {
    let lock = NSLock()
    lock.lock()
    let thread = startThread { lock.lock() }
    pthread_detach(thread)
    return true
  },
]

// Calls that no header of the Glibc module declares.
@_silgen_name("pthread_tryjoin_np") private func pthread_tryjoin_np(
  _ thread: pthread_t, _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32
@_silgen_name("mtx_lock") private func mtx_lock(_ mutex: UnsafeMutableRawPointer) -> Int32
