import Interlock
import Testing

@testable import Hangs

/// Frames with only an address receive their symbols.
@Suite("Naming a snapshot")
struct NamingTests {
  static func at(_ address: UInt) -> [StackFrame] { [StackFrame(address: address)] }

  /// A snapshot with a frame in every place that can have one.
  static let snapshot = WaitSnapshot(
    threads: [
      WaitSnapshot.Thread(
        id: 1, wait: WaitSnapshot.Wait(kind: .mutex, object: 1, place: at(1)),
        held: [WaitSnapshot.Held(kind: .mutex, object: 2, place: at(2))],
        runs: [WaitSnapshot.Run(queue: 3, place: at(3))], stack: at(4))
    ],
    queues: [
      WaitSnapshot.Queue(id: 3, blocks: [WaitSnapshot.QueuedBlocks(count: 1, place: at(5))])
    ],
    signals: [
      WaitSnapshot.Signal(
        id: 9, kind: .group, created: at(6), releasePlaces: at(7), enterPlaces: at(8))
    ],
    selfWait: WaitSnapshot.SelfWait(
      thread: 1, object: 3, place: at(9), firstPlace: at(10), traps: true))

  @Test("the addresses of a snapshot are those of all frames")
  func addresses() { #expect(Self.snapshot.addresses == Set(1...10)) }

  @Test("symbols replace a frame by all functions inlined there, and leave other frames unchanged")
  func named() {
    let names = Dictionary(
      uniqueKeysWithValues: (UInt(1)...9).map { address in
        (
          address,
          ["inner", "outer"].map { StackFrame(address: address, function: "\($0)\(address)") }
        )
      })
    let named = Self.snapshot.named(names)
    #expect(named.threads[0].wait?.place.map(\.function) == ["inner1", "outer1"])
    #expect(named.threads[0].held[0].place.map(\.function) == ["inner2", "outer2"])
    #expect(named.threads[0].runs[0].place.map(\.function) == ["inner3", "outer3"])
    #expect(named.threads[0].stack.map(\.function) == ["inner4", "outer4"])
    #expect(named.queues[0].blocks[0].place.map(\.function) == ["inner5", "outer5"])
    #expect(named.signals[0].created.map(\.function) == ["inner6", "outer6"])
    #expect(named.signals[0].releasePlaces.map(\.function) == ["inner7", "outer7"])
    #expect(named.signals[0].enterPlaces.map(\.function) == ["inner8", "outer8"])
    #expect(named.selfWait?.place.map(\.function) == ["inner9", "outer9"])
    #expect(named.selfWait?.firstPlace == Self.at(10))
    #expect(Self.snapshot.named([1: []]) == Self.snapshot)
  }

  private static func frame(_ address: UInt, _ function: String) -> StackFrame {
    StackFrame(address: address, function: function, file: "/app/Code.swift", line: Int(address))
  }

  /// A thread that waits in `wait`, and took two locks in `withLock`, which runs closures under it.
  private static func holder(held: Int, waitsIn wait: String = "wait") -> WaitSnapshot {
    let place = [frame(1, "lock"), frame(2, "withLock")]
    let current = [frame(10, "lock"), frame(11, wait)]
    return WaitSnapshot(
      threads: [
        WaitSnapshot.Thread(
          id: 1, wait: WaitSnapshot.Wait(kind: .mutex, object: 9, place: current),
          held: (0..<held).map { .init(kind: .mutex, object: UInt($0), place: place) },
          stack: current + [
            frame(12, "closure in inner"), frame(3, "withLock"), frame(13, "inner"),
            frame(14, "closure in outer"), frame(4, "withLock"), frame(15, "outer"),
          ])
      ]
    ).named([:])
  }

  @Test("the place of a lock has its callers if the lock's function is still on the stack")
  func heldOnStack() {
    for wait in ["wait", "withLock"] {
      let held = Self.holder(held: 2, waitsIn: wait).threads[0].held
      #expect(
        held.map { $0.place.map(\.function) } == [
          ["lock", "withLock", "outer"],
          ["lock", "withLock", "inner", "closure in outer", "withLock", "outer"],
        ])
    }
  }

  @Test("the place of a lock keeps its frames if the stack may show another call of its function")
  func heldElsewhere() {
    for count in [1, 3] {
      for held in Self.holder(held: count).threads[0].held {
        #expect(held.place.map(\.function) == ["lock", "withLock"])
      }
    }
  }

  @Test("a lock that was left locked has the line that acquired it")
  func leftLock() {
    var snapshot = WaitSnapshot(threads: [])
    snapshot.leftLocks = [
      WaitSnapshot.LeftLock(kind: .mutex, object: 1, place: Self.at(1), thread: 2)
    ]
    #expect(snapshot.addresses == [1])
    let named = snapshot.named([1: [StackFrame(address: 1, function: "take()")]])
    #expect(named.leftLocks[0].place.map(\.function) == ["take()"])
  }
}
