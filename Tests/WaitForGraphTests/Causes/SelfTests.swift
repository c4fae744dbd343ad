import Interlock
import Testing

@testable import WaitForGraph

/// A thread that waits for what it holds itself.
@Suite("A thread that waits for itself")
struct SelfTests {
  typealias S = Snapshots

  @Test("a thread that relocks its mutex waits for itself, and both lines are reported")
  func mutex() throws {
    let found = try #require(
      Diagnosis(
        of: S.process([
          S.waiting(7, .mutex, 0xa, at: 20, held: [S.has(0xa, at: 10)]), S.other(8, .running),
        ])))
    #expect(found.cause == .self)
    #expect(found.isCertain)
    #expect(found.headline.contains("thread 7 waits for mutex 0xa, which it already holds"))
    #expect(
      found.details.prefix(2) == [
        "acquires it again at Cache.swift:20  get(_:)", "holds it since Cache.swift:10  take()",
      ])
  }

  @Test(
    "a read-write lock in both modes, or a semaphore of one twice, makes a thread wait for itself",
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
    let found = try #require(Diagnosis(of: S.process([thread])))
    #expect(found.cause == .self)
    #expect(found.isCertain)
    #expect(
      found.headline
        == "thread 7 waits for the initialiser of static Settings.shared (Settings.swift:3), "
        + "which it already holds")
    #expect(
      found.details.prefix(2) == [
        "acquires it again at Cache.swift:20  get(_:)", "holds it since Cache.swift:10  take()",
      ])
    #expect(found.advice.contains { $0.contains("the variable that it is for") })
  }

  @Test(
    "a thread that calls the serial queue it is on, directly or through a target, waits for itself"
  )
  func queue() throws {
    let cache = S.serial(0x10, "cache")
    let direct = try #require(
      Diagnosis(
        of: S.process([S.waiting(7, .queue, 0x10, runs: [S.run(0x10, at: 4)])], [cache])))
    #expect(direct.cause == .self)
    #expect(direct.isCertain)
    #expect(direct.headline == "thread 7 waits for \"cache\", the queue that it is on")
    #expect(direct.details.contains("entered it at Cache.swift:4  start()"))
    // From the target to a queue above it, and the reverse.
    let above = S.serial(0x11, "above", target: 0x10)
    for (from, to) in [(UInt(0x10), UInt(0x11)), (0x11, 0x10)] {
      let found = try #require(
        Diagnosis(
          of: S.process([S.waiting(7, .queue, to, runs: [S.run(from)])], [cache, above])))
      #expect(found.cause == .self)
      #expect(found.headline.contains("a queue on the same thread as"))
    }
  }

  @Test("a call with a barrier from a call on the same concurrent queue waits for itself")
  func barrier() throws {
    let queue = S.concurrent(0x10, "cache")
    let found = try #require(
      Diagnosis(
        of: S.process(
          [S.waiting(7, .queue, 0x10, barrier: true, runs: [S.run(0x10, sync: true)])], [queue])))
    #expect(found.cause == .self)
    #expect(found.isCertain)
    #expect(found.details.contains { $0.contains("barrier") })
    // Without a barrier such a call goes on.
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
    let found = try #require(Diagnosis(of: snapshot))
    #expect(found.cause == .self)
    #expect(found.isCertain)
    #expect(found.headline == "thread 7 waits for \"cache\", the queue that it is on")
    #expect(
      found.details == [
        "enters it again at Cache.swift:20  get(_:)", "entered it at Cache.swift:10  get(_:)",
        "libdispatch ends the process there, on Linux without a word",
      ])
    snapshot.selfWait?.traps = false
    #expect(try #require(Diagnosis(of: snapshot)).details.count == 2)
  }

  @Test("a thread that joins itself, or calls the main queue on the main thread, waits for itself")
  func endAndMain() throws {
    let end = try #require(Diagnosis(of: S.process([S.waiting(7, .thread, 7)])))
    #expect(end.cause == .self)
    let main = try #require(
      Diagnosis(of: S.process([S.waiting(7, .queue, S.mainQueue, isMain: true)])))
    #expect(main.cause == .self)
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
    // An unseen thread may hold it, and go on.
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
