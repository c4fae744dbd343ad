import Testing

@testable import StressRunner

@Suite("An oracle of the calls")
struct HistoryOracleTests {
  private func call(
    _ kind: StressRunner.Operation.Kind, _ value: Int?, key: Int = 0, _ moments: ClosedRange<Int>
  ) -> History.Call {
    History.Call(
      kind: kind, key: key, value: value, began: moments.lowerBound, ended: moments.upperBound)
  }

  @Test("reads-fresh finds a value that was overwritten before the read began")
  func overwritten() {
    #expect(
      evidenceOfStaleRead(in: [call(.set, 1, 1...2), call(.set, 2, 3...4), call(.get, 1, 5...6)])
        == "a get of key-0 returned value 1, which was stale: value 2 was stored after it and"
        + " before the read began")
  }

  @Test("reads-fresh finds a value that was removed, and a prepared value that was overwritten")
  func removed() {
    #expect(
      evidenceOfStaleRead(in: [
        call(.set, 1, 1...2), call(.remove, nil, 3...4), call(.get, 1, 5...6),
      ])
        == "a get of key-0 returned value 1, which was stale: the key was removed after it and"
        + " before the read began")
    #expect(
      evidenceOfStaleRead(in: [call(.removeAll, nil, 3...4), call(.getAsync, 0, key: 7, 5...6)])
        != nil)
    #expect(evidenceOfStaleRead(in: [call(.set, 2, 3...4), call(.get, 0, 5...6)]) != nil)
  }

  @Test(
    "reads-fresh finds nothing if some order of the overlapping calls explains the read",
    arguments: [
      // The overwriting set overlaps the read.
      [(StressRunner.Operation.Kind.set, 1, 1...2), (.set, 2, 3...6), (.get, 1, 5...7)],
      // The two sets overlap: either one may be the last.
      [(.set, 1, 1...4), (.set, 2, 2...3), (.get, 1, 5...6)],
      // The value is stored again after the remove.
      [(.set, 1, 1...2), (.remove, nil, 3...4), (.set, 1, 5...6), (.get, 1, 7...8)],
      // The value is stored again during the read.
      [(.set, 1, 1...2), (.remove, nil, 3...4), (.set, 1, 5...9), (.get, 1, 6...7)],
      // The read finds no value: another oracle decides whether that is a loss.
      [(.set, 1, 1...2), (.get, nil, 3...4)],
    ] as [[(StressRunner.Operation.Kind, Int?, ClosedRange<Int>)]])
  func fresh(_ calls: [(StressRunner.Operation.Kind, Int?, ClosedRange<Int>)]) {
    #expect(evidenceOfStaleRead(in: calls.map { call($0.0, $0.1, $0.2) }) == nil)
  }

  @Test("reads-fresh keeps keys apart, and 200,000 calls take no quadratic time")
  func many() {
    var calls = [call(.set, 2, key: 1, 1...2), call(.remove, nil, key: 1, 3...4)]
    for index in 0..<100_000 {
      calls.append(call(.set, index % 2, (index * 4 + 5)...(index * 4 + 6)))
      calls.append(call(.get, index % 2, (index * 4 + 7)...(index * 4 + 8)))
    }
    #expect(evidenceOfStaleRead(in: calls) == nil)
    calls.append(call(.get, 2, key: 1, 900_000...900_001))
    #expect(evidenceOfStaleRead(in: calls)?.hasPrefix("a get of key-1") == true)
  }

  @Test("nothing-lost finds a stored value that nothing removed missing in a read and at the end")
  func lost() {
    let state = FinalState(count: 0, entries: [:])
    #expect(
      evidenceOfLoss(in: [call(.set, 1, 1...2), call(.get, nil, 3...4)], state: nil)
        == "a get of key-0 found nothing: it was stored before, and not removed since")
    #expect(
      evidenceOfLoss(in: [call(.remove, nil, 1...2), call(.set, 1, 3...4)], state: state)
        == "at the end, key-0 was not there: stored, and not removed since")
    for removal in [
      call(.remove, nil, 2...3), call(.removeAll, nil, 5...6), call(.removeAsync, nil, 4...9),
    ] {
      let calls = [call(.set, 1, 1...3), removal, call(.get, nil, 8...10)]
      #expect(evidenceOfLoss(in: calls, state: state) == nil)
    }
  }

  @Test("hold-up-bounded finds a call of a script that too many others overtake")
  func overtaken() {
    let slow = call(.remove, nil, 1...100)
    // Calls that begin before the script's call, or complete after it, do not count.
    let others = [call(.get, 1, 0...9), call(.get, 1, 40...101)]
    let overtaking = (1...3).map { call(.get, 1, ($0 * 10)...($0 * 10 + 5)) }
    let calls = others + [slow] + overtaking
    #expect(evidenceOfHoldUp(in: calls, limit: 3) == nil)
    #expect(
      evidenceOfHoldUp(in: calls, limit: 2)
        == "a remove was held up while 3 others began and completed")
    // Calls after the order was given up do not count.
    #expect(evidenceOfHoldUp(in: calls, limit: 2, until: 35) == nil)
    #expect(evidenceOfHoldUp(in: calls, limit: 2, until: 36) != nil)
    #expect(evidenceOfHoldUp(in: [], limit: 1) == nil)
  }

  @Test("hold-up-bounded counts only the calls between the points where a script's call is held up")
  func overtakenBetweenPoints() {
    func slow(_ heldUp: Range<Int>) -> History.Call {
      History.Call(kind: .remove, key: 0, value: nil, began: 1, ended: 100, heldUp: heldUp)
    }
    let overtaking = (1...5).map { call(.get, 1, ($0 * 10)...($0 * 10 + 5)) }
    #expect(evidenceOfHoldUp(in: [slow(1..<100)] + overtaking, limit: 4) != nil)
    // Calls before and after the two points are no hold-up: the thread was only not scheduled.
    #expect(
      evidenceOfHoldUp(in: [slow(15..<40)] + overtaking, limit: 1)
        == "a remove was held up while 2 others began and completed")
    #expect(evidenceOfHoldUp(in: [slow(15..<40)] + overtaking, limit: 2) == nil)
    #expect(evidenceOfHoldUp(in: [slow(100..<100)] + overtaking, limit: 1) == nil)
  }

  @Test("hold-up-bounded counts only calls that begin and complete while the call is under way")
  func heldUp() {
    let holdUp = HoldUp(limit: 2)
    let early = holdUp.begin()
    let slow = holdUp.begin()
    // The early call began before the slow call, so it does not overtake it.
    #expect(holdUp.complete(early) == nil)
    for _ in 0..<2 { #expect(holdUp.complete(holdUp.begin()) == nil) }
    var unbounded = holdUp.begin()
    #expect(holdUp.complete(unbounded) == nil)
    unbounded = holdUp.begin()
    #expect(holdUp.complete(unbounded) == nil)
    // Four calls have begun and completed since. One of the completions may belong to a call that
    // began before.
    #expect(holdUp.complete(slow) == 4)
  }
}
