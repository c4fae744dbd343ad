import HangReports
import Interlock
import Testing

@testable import Hangs

/// A thread that waits for an object that it holds itself.
@Suite("A thread that waits for itself")
struct SelfTests {
  typealias S = Snapshots

  @Test("a thread that relocks its mutex waits for itself, and both lines are reported")
  func mutex() throws {
    var thread = S.waiting(7, .mutex, 0xa, at: 20, held: [S.has(0xa, at: 10)])
    thread.stack = S.line(20) + S.line(15, "notify()") + S.line(12, "take()")
    let found = try explained(S.process([thread, S.other(8, .running)]), "self-mutex")
    #expect(found.cause == .self)
    #expect(found.isCertain)
    #expect(
      found.evidence == .selfWait(.thread(7), .lock(0xa), Diagnosis.Object(.mutex, 0xa)))
    #expect(found.advice == .acquireNotAgain)
  }

  private func advice(
    at line: Int, in function: String = "get(_:)", holdsSince held: WaitSnapshot.Held,
    stack: [StackFrame] = []
  ) throws -> [String] {
    var thread = S.waiting(7, held.kind, 0xa, at: line, held: [held])
    thread.wait?.place = S.line(line, function)
    thread.stack = stack
    var snapshot = S.process([thread])
    snapshot.signals = [WaitSnapshot.Signal(id: 0xa, kind: held.kind, value: 1)]
    return Explanation(try #require(Diagnosis(of: snapshot)), of: snapshot).advice
  }

  @Test("advice about a lock that its thread holds follows from the function that acquired it")
  func advice() throws {
    let unlock = [
      "safe when: the code that locks it unlocks it on every path, on the same thread"
    ]
    let again = ["safe when: code that holds the lock calls no function that acquires it"]
    // The line that locks runs again: the loop continued without an unlock.
    let loop = S.line(5, "take()") + S.line(30, "main()")
    #expect(try advice(at: 5, in: "take()", holdsSince: S.has(0xa), stack: loop) == unlock)
    // A callback under the lock has called the function again.
    let callback = S.line(5, "take()") + S.line(20) + S.line(6, "take()") + S.line(30, "main()")
    #expect(try advice(at: 5, in: "take()", holdsSince: S.has(0xa), stack: callback) == again)
    // A semaphore may limit the number of running threads; these signal it.
    let semaphore = S.has(0xa, .semaphore)
    #expect(try advice(at: 5, in: "take()", holdsSince: semaphore, stack: loop).isEmpty)
    #expect(try advice(at: 5, in: "take()", holdsSince: semaphore, stack: callback) == again)
    // The function that acquired the lock has returned.
    #expect(
      try advice(at: 20, holdsSince: S.has(0xa), stack: S.line(20) + S.line(30, "main()"))
        == unlock)
    // The function that acquired the lock is still on the stack.
    #expect(
      try advice(at: 20, holdsSince: S.has(0xa), stack: S.line(20) + S.line(7, "take()")) == again)
    // Nothing shows which of the two cases it is.
    #expect(try advice(at: 20, holdsSince: S.has(0xa)).isEmpty)
    #expect(try advice(at: 9, in: "take()", holdsSince: S.has(0xa)).isEmpty)
    #expect(try advice(at: 5, in: "take()", holdsSince: S.has(0xa)).isEmpty)
  }

  @Test(
    "a thread that takes a read-write lock in both modes, or a semaphore of 1 twice, is stuck",
    arguments: [
      (WaitSnapshot.ObjectKind.writeLock, WaitSnapshot.ObjectKind.readLock),
      (.readLock, .writeLock), (.writeLock, .writeLock), (.semaphore, .semaphore),
      (.swiftMutex, .swiftMutex), (.initializer, .initializer),
    ])
  func locks(wait: WaitSnapshot.ObjectKind, held: WaitSnapshot.ObjectKind) throws {
    var snapshot = S.process([S.waiting(7, wait, 0xa, held: [S.has(0xa, held)])])
    snapshot.signals = [WaitSnapshot.Signal(id: 0xa, kind: wait, value: 1)]
    let found = try #require(Diagnosis(of: snapshot))
    #expect(found.cause == .self)
    #expect(found.isCertain)
  }

  @Test("a thread that uses the static variable it initializes waits for itself")
  func initializer() throws {
    let accessor = StackFrame(
      address: 1, function: "static Settings.shared.unsafeMutableAddressor",
      file: "/src/Settings.swift", line: 3)
    var thread = S.waiting(
      7, .initializer, 0xa, at: 20, held: [S.has(0xa, .initializer, at: 10)])
    thread.wait?.place.insert(accessor, at: 0)
    thread.held[0].place.insert(accessor, at: 0)
    let found = try explained(S.process([thread]), "self-initializer")
    #expect(found.isCertain)
    #expect(
      found.evidence
        == .selfWait(.thread(7), .lock(0xa), Diagnosis.Object(.initializer, 0xa)))
    #expect(found.advice == .useNotInInitializer)
  }

  @Test(
    "a thread that calls the serial queue it is on, directly or through a target, waits for itself"
  )
  func queue() throws {
    let cache = S.serial(0x10, "cache")
    let direct = try explained(
      S.process([S.waiting(7, .queue, 0x10, runs: [S.run(0x10, at: 4)])], [cache]), "self-queue")
    #expect(direct.isCertain)
    #expect(
      direct.evidence == .selfWait(.thread(7), .queue(0x10), Diagnosis.Object(.queue, 0x10)))
    #expect(direct.advice == .callDirectly)
    // From the target to a queue above it, and in the opposite direction.
    let above = S.serial(0x11, "above", target: 0x10)
    for (from, to) in [(UInt(0x10), UInt(0x11)), (0x11, 0x10)] {
      let found = try explained(
        S.process([S.waiting(7, .queue, to, runs: [S.run(from)])], [cache, above]),
        "self-queue-from-\(from)-to-\(to)")
      #expect(
        found.evidence == .selfWait(.thread(7), .queue(0x10), Diagnosis.Object(.queue, to)))
    }
  }

  @Test("a call with a barrier from a call on the same concurrent queue waits for itself")
  func barrier() throws {
    let queue = S.concurrent(0x10, "cache")
    let found = try explained(
      S.process(
        [S.waiting(7, .queue, 0x10, barrier: true, runs: [S.run(0x10, sync: true)])], [queue]),
      "self-barrier")
    #expect(found.isCertain)
    #expect(
      found.evidence == .selfWait(.thread(7), .runners(0x10), Diagnosis.Object(.queue, 0x10)))
    // Without a barrier, such a call continues.
    #expect(
      Diagnosis(
        of: S.process([S.waiting(7, .queue, 0x10, runs: [S.run(0x10, sync: true)])], [queue]))
        == nil)
  }

  @Test("a call that waits for its own thread is reported before the process ends")
  func beforeTheTrap() throws {
    var snapshot = S.process(
      [S.other(7, .running), S.other(8, .running)], [S.serial(0x10, "cache")])
    snapshot.isPartial = true
    snapshot.selfWait = WaitSnapshot.SelfWait(
      thread: 7, object: 0x10, place: S.line(20), firstPlace: S.line(10), traps: true)
    let found = try explained(snapshot, "self-call-that-traps")
    #expect(found.cause == .self)
    #expect(found.isCertain)
    #expect(
      found.evidence == .ownCall(thread: 7, Diagnosis.Object(.queue, 0x10), traps: true))
    snapshot.selfWait?.traps = false
    let hang = try explained(snapshot, "self-call-that-hangs")
    #expect(
      hang.evidence == .ownCall(thread: 7, Diagnosis.Object(.queue, 0x10), traps: false))
  }

  @Test("a thread that joins itself, or calls the main queue on the main thread, waits for itself")
  func endAndMain() throws {
    let end = try explained(S.process([S.waiting(7, .thread, 7)]), "self-join")
    #expect(end.evidence == .selfWait(.thread(7), .end(7), Diagnosis.Object(.thread, 7)))
    let main = try explained(
      S.process([S.waiting(7, .queue, S.mainQueue, isMain: true)]), "self-main-queue")
    #expect(
      main.evidence == .selfWait(.thread(7), .main, Diagnosis.Object(.queue, S.mainQueue)))
    #expect(main.isCertain)
  }

  @Test("a limit, a lock of another thread, and a second read are no wait of a thread for itself")
  func nearMisses() {
    #expect(
      Diagnosis(of: S.process([S.waiting(7, .mutex, 0xa, held: [S.has(0xa)], limited: true)]))
        == nil)
    #expect(
      Diagnosis(
        of: S.process([
          S.waiting(7, .mutex, 0xa, held: [S.has(0xb)]), S.other(8, .running, held: [S.has(0xa)]),
        ])) == nil)
    // An unseen thread may hold the lock, and continue.
    let reads = S.process([
      S.waiting(7, .readLock, 0xa, held: [S.has(0xa, .readLock)]), S.other(8, .running),
    ])
    #expect(Diagnosis(of: reads) == nil)
    // A semaphore of two may be acquired twice.
    var two = S.process([S.waiting(7, .semaphore, 0xa, held: [S.has(0xa, .semaphore)])])
    two.signals = [WaitSnapshot.Signal(id: 0xa, kind: .semaphore, value: 2)]
    #expect(Diagnosis(of: two)?.cause != .self)
  }
}
