import CInterlockAnalysis
import CInterlockEvents
import Testing

@testable import Hangs

/// The changes that Dispatch makes to its threads while a process stands still.
@Suite("Housekeeping of pools")
struct PoolHousekeepingTests {
  private static func view(
    _ number: UInt32, _ sequence: UInt64, waits: interlock_object_kind? = INTERLOCK_OBJECT_QUEUE,
    runs: UInt? = 0x80, limited: Bool = false, ended: UInt32 = 0
  ) -> interlock_thread_view {
    var view = interlock_thread_view()
    view.number = number
    view.sequence = sequence
    view.wait_kind = waits?.rawValue ?? 0
    view.wait_flags = limited ? UInt32(INTERLOCK_FLAG_TIME_LIMIT) : 0
    view.pool = runs == nil ? 0 : 0xd0
    view.run_count = runs == nil ? 0 : 1
    view.runs.0.place = runs ?? 0
    view.ended = ended
    return view
  }

  private static let idle = view(3, 9, waits: INTERLOCK_OBJECT_IDLE, runs: nil)
  private static let still = [view(1, 5), view(2, 7), idle]

  private static func change(_ views: [interlock_thread_view]) -> PoolHousekeeping.Change {
    var housekeeping = PoolHousekeeping()
    housekeeping.restart(still)
    return housekeeping.change(views)
  }

  @Test(
    "A new worker that waits like the others, or an idle worker that wakes or ends, is no progress"
  )
  func housekeeping() {
    #expect(Self.change(Self.still) == .none)
    #expect(Self.change(Self.still + [Self.view(4, 3)]) == .none)
    #expect(Self.change(Array(Self.still.dropLast())) == .none)
    let woken = Self.view(3, 11, waits: nil, runs: nil)
    #expect(Self.change(Self.still.dropLast() + [woken]) == .none)
  }

  @Test("A new worker in its first block is undecided")
  func undecided() {
    #expect(Self.change(Self.still + [Self.view(4, 3, waits: nil)]) == .undecided)
    #expect(Self.change(Self.still + [Self.view(4, 1, waits: nil, runs: nil)]) == .undecided)
    #expect(Self.change(Self.still + [Self.view(4, 3, limited: true)]) == .undecided)
  }

  @Test("A thread that continues, ends, has run a block, or does something new is progress")
  func progress() {
    #expect(Self.change([Self.view(1, 6), Self.view(2, 7), Self.idle]) == .progress)
    #expect(Self.change(Array(Self.still.dropFirst())) == .progress)
    #expect(Self.change(Self.still + [Self.view(4, 3, ended: 1)]) == .progress)
    #expect(Self.change(Self.still + [Self.view(4, 3, runs: 0x90)]) == .progress)
    #expect(Self.change(Self.still + [Self.view(4, 3, runs: nil)]) == .progress)
    // The idle worker has received work, or has done some.
    #expect(Self.change(Self.still.dropLast() + [Self.view(3, 11)]) == .progress)
    let idle = Self.view(3, 14, waits: INTERLOCK_OBJECT_IDLE, runs: nil, ended: 1)
    #expect(Self.change(Self.still.dropLast() + [idle]) == .progress)
  }
}
