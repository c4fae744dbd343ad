import Dispatch
import Foundation
import Interlock
import StressRunner
import Synchronization

/// A subject whose calls all run one function; a call is complete when the function returns.
final class FunctionSubject: Subject {
  private let call: @Sendable (StressRunner.Operation) -> Void
  private let kinds: Set<StressRunner.Operation.Kind>

  init(
    kinds: Set<StressRunner.Operation.Kind> = Set(StressRunner.Operation.Kind.allCases),
    _ call: @escaping @Sendable (StressRunner.Operation) -> Void
  ) {
    self.kinds = kinds
    self.call = call
  }

  func supports(_ kind: StressRunner.Operation.Kind) -> Bool { kinds.contains(kind) }

  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    call(operation)
    completion(.done)
  }
}

/// Accepts a call and forgets its completion.
final class ForgetfulSubject: Subject {
  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {}
}

/// Asynchronous calls on a concurrent queue; a synchronous call waits for one at a semaphore.
func semaphoreOverAsync() -> FunctionSubject {
  let queue = DispatchQueue(label: "test.native", attributes: .concurrent)
  return FunctionSubject { _ in waitForCallback(on: queue) }
}

func waitForCallback(on queue: DispatchQueue) {
  let done = DispatchSemaphore(value: 0)
  queue.async { done.signal() }
  done.wait()
}

/// Synchronous calls of a serial queue on the shared pool; each leaves a block on the queue.
func syncBehindAsync() -> FunctionSubject {
  let queue = DispatchQueue(label: "test.serial", target: .global())
  return FunctionSubject { _ in
    queue.sync {}
    queue.async {}
  }
}

/// The calls of `syncBehindAsync`, in blocks of a queue that is suspended until it has all of them.
func heldBack() -> FunctionSubject {
  let serial = syncBehindAsync()
  return FunctionSubject { call in
    let queue = DispatchQueue(label: "test.held-back", attributes: .concurrent)
    let all = DispatchGroup()
    queue.suspend()
    for _ in 0..<600 {
      queue.async(group: all) { serial.perform(call) { _ in } }
    }
    queue.resume()
    all.wait()
  }
}

/// Like `semaphoreOverAsync`, after work on a queue of the other pool, whose worker then idles for
/// some seconds.
func semaphoreOverAsyncWithIdleWorker() -> FunctionSubject {
  DispatchQueue(label: "test.other").async {}
  return semaphoreOverAsync()
}

func waitForTask() -> FunctionSubject {
  FunctionSubject { _ in
    let done = DispatchSemaphore(value: 0)
    Task.detached { done.signal() }
    done.wait()
  }
}

/// Waits for the main queue, and for the main actor.
func waitForMainQueue() {
  let done = DispatchSemaphore(value: 0)
  DispatchQueue.main.async { done.signal() }
  done.wait()
  Task { @MainActor in done.signal() }
  done.wait()
}

/// Waits for a timer that fires after the number of seconds in the environment.
func waitForTimer(_ start: (_ seconds: Double, _ done: DispatchSemaphore) -> Void) {
  let done = DispatchSemaphore(value: 0)
  start(4, done)
  done.wait()
}

func startTimerSource(_ seconds: Double, _ done: DispatchSemaphore) {
  let timer = DispatchSource.makeTimerSource(queue: .global())
  timer.schedule(deadline: .now() + seconds)
  // The handler keeps its source alive until it has fired.
  timer.setEventHandler {
    timer.cancel()
    done.signal()
  }
  timer.resume()
}

/// Blocks in a read of a text that a shell writes after 4 s.
func readFromShell() {
  guard let stream = popen("sleep 4; echo", "r") else { fatalError("no shell") }
  _ = getc(stream)
  pclose(stream)
}

/// Waits for a source on a queue that reads the same text as `readFromShell`.
func readFromShellBySource() {
  guard let stream = popen("sleep 4; echo", "r") else { fatalError("no shell") }
  let done = DispatchSemaphore(value: 0)
  let source = DispatchSource.makeReadSource(fileDescriptor: fileno(stream), queue: .global())
  source.setEventHandler { done.signal() }
  source.resume()
  done.wait()
  source.cancel()
}

/// Blocks in a read from a socket without a writer.
func readFromSocket() {
  var ends: [Int32] = [0, 0]
  socketpair(AF_UNIX, socketStream, 0, &ends)
  var byte: UInt8 = 0
  _ = read(ends[0], &byte, 1)
}

#if canImport(Darwin)
private let socketStream = SOCK_STREAM
#else
private let socketStream = Int32(SOCK_STREAM.rawValue)
#endif

func lockTwice() {
  let lock = NSLock()
  lock.lock()
  lock.lock()
}

func syncInsideSync() {
  let queue = DispatchQueue(label: "test.serial")
  queue.sync { queue.sync {} }
}

/// Starts `sleep` for the number of seconds in the environment, and does not wait for it.
func startGrandchild() {
  let seconds = ProcessInfo.processInfo.environment["GRANDCHILD_SECONDS"] ?? "1000"
  var process: pid_t = 0
  var arguments = [strdup("sleep"), strdup(seconds), nil]
  posix_spawn(&process, "/bin/sleep", nil, nil, &arguments, nil)
}

func eatMemory() {
  while true {
    let block = UnsafeMutableRawPointer.allocate(byteCount: 8 << 20, alignment: 16)
    memset(block, 1, 8 << 20)
    usleep(2000)
  }
}

/// Two threads in writing sections at the same time.
func writeTogether() {
  let entries = Section("test.entries")
  let bothIn = DispatchSemaphore(value: 0)
  let thread = Thread {
    entries.write {
      bothIn.signal()
      while true { pause() }
    }
  }
  thread.start()
  bothIn.wait()
  entries.write {}
}

private let sharedEntries = Section("test.shared")
private let sharedLock = NSLock()

func writeUnderLock() {
  sharedLock.withLock { sharedEntries.write(synched: true) {} }
}

private let unmarkedNumber = Atomic(0)

func changeUnmarked() {
  // Relaxed: the read orders nothing.
  Section("test.witnessed").read(witness: unmarkedNumber.load(ordering: .relaxed)) {
    _ = unmarkedNumber.wrappingAdd(1, ordering: .relaxed)
  }
}

func floodOutput() {
  let line = String(repeating: "x", count: 4095)
  while true { print(line) }
}

let testSubjects: [SubjectEntry] = [
  subject("quick") { _ in },
  SubjectEntry(name: "semaphore-over-async", summary: "", make: semaphoreOverAsync),
  SubjectEntry(name: "sync-behind-async", summary: "", make: syncBehindAsync),
  SubjectEntry(name: "held-back", summary: "", make: heldBack),
  SubjectEntry(name: "idle-worker", summary: "", make: semaphoreOverAsyncWithIdleWorker),
  SubjectEntry(name: "wait-for-task", summary: "", make: waitForTask),
  SubjectEntry(name: "forgetful", summary: "") { ForgetfulSubject() },
  subject("main-queue") { _ in waitForMainQueue() },
  subject("lock-twice") { _ in lockTwice() },
  subject("trap") { _ in fatalError("out of apples") },
  subject("sync-inside-sync") { _ in syncInsideSync() },
  subject("exit-zero") { _ in exit(0) },
  subject("exit-three") { _ in exit(3) },
  subject("killed") { _ in kill(getpid(), SIGKILL) },
  subject("flood") { _ in floodOutput() },
  subject("talkative") { _ in
    FileHandle.standardError.write(Data((String(repeating: "x", count: 99_999) + "\nlast\n").utf8))
  },
  subject("memory") { _ in eatMemory() },
  subject("one-sleep") { _ in
    var time = timespec(tv_sec: 2, tv_nsec: 600_000_000)
    nanosleep(&time, nil)
  },
  subject("one-timed-wait") { _ in
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 2.6)
  },
  subject("task-sleep") { _ in
    waitForTimer { seconds, done in
      Task.detached {
        try? await Task.sleep(for: .seconds(seconds))
        done.signal()
      }
    }
  },
  subject("async-after") { _ in
    waitForTimer { seconds, done in
      DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { done.signal() }
    }
  },
  subject("timer-source") { _ in waitForTimer(startTimerSource) },
  subject("shell-read") { _ in readFromShell() },
  subject("shell-source") { _ in readFromShellBySource() },
  subject("socket-read") { _ in readFromSocket() },
  subject("poll") { _ in while true { usleep(10_000) } },
  subject("spin") { _ in while true {} },
  subject("stopped") { _ in kill(getpid(), SIGSTOP) },
  subject("grandchild") { _ in startGrandchild() },
  subject("race") { _ in writeTogether() },
  subject("slow-race") { _ in reportSlowly() },
  subject("slow-trap") { _ in trapSlowly() },
  subject("write-under-lock") { _ in writeUnderLock() },
  subject("change-unmarked") { _ in changeUnmarked() },
  subject("misuse") { _ in END_LOCK(.noWrite, "test.never-begun") },
  subject("temporary-file") { _ in
    let left = NSTemporaryDirectory() + "/left"
    if FileManager.default.fileExists(atPath: left) { exit(3) }
    _ = FileManager.default.createFile(atPath: left, contents: Data())
  },
  SubjectEntry(name: "two-layers", summary: "") { TwoLayers(.stale) },
  SubjectEntry(name: "two-layers-versioned", summary: "") { TwoLayers(.versioned) },
  SubjectEntry(name: "two-layers-exclusive", summary: "") { TwoLayers(.exclusive) },
  SubjectEntry(name: "no-get", summary: "") { FunctionSubject(kinds: [.set]) { _ in } },
]

func subject(_ name: String, _ call: @escaping @Sendable (StressRunner.Operation) -> Void)
  -> SubjectEntry
{
  SubjectEntry(name: name, summary: "") { FunctionSubject(call) }
}
