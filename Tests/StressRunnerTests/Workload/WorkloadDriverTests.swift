import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import StressRunner

@Suite("Every driver", .hangLimit)
struct WorkloadDriverTests {
  @Test(
    "Every driver makes each caller's calls once and in order, and breaks no oracle",
    arguments: Workload.Driver.allCases, [false, true])
  func order(_ driver: Workload.Driver, completesLater: Bool) async {
    let progress = CountingProgress()
    let subject = DictionarySubject(completesLater: completesLater)
    let failures = await run(
      workload(driver, callers: 20, rounds: 5, [.set, .get, .count, .remove]),
      on: subject, progress: progress)
    #expect(failures == [])
    #expect(subject.calls.count == 400)
    #expect(progress.begunByCaller.count == 20)
    #expect(progress.begunByCaller.values.allSatisfy { $0 == Array(0..<20) })
    #expect(progress.completedByCaller.values.allSatisfy { $0 == 20 })
  }

  @Test(
    "Every driver begins a phase when every call of the one before has completed",
    arguments: Workload.Driver.allCases)
  func phases(_ driver: Workload.Driver) async {
    let phases: [Workload.Phase] = [
      .init(callers: 30, rounds: 1, operations: .sequence([.setAsync])),
      .init(callers: 7, rounds: 2, operations: .sequence([.get])),
    ]
    let subject = DictionarySubject(completesLater: true)
    let progress = CountingProgress()
    let failures = await run(
      Workload(
        driver: driver, phases: phases, keys: 30, distribution: .perCaller, valueBytes: 100,
        preparesAllKeys: false, seed: 0),
      on: subject, progress: progress)
    #expect(failures == [])
    #expect(subject.calls.prefix(30).allSatisfy { $0.kind == .setAsync })
    #expect(subject.calls.dropFirst(30).allSatisfy { $0.kind == .get })
    // The callers of the second phase have their own numbers.
    #expect(Set(progress.completedByCaller.keys) == Set(0..<37))
  }

  @Test(
    "Every driver makes a caller's next call without waiting for an asynchronous one",
    arguments: [Workload.Driver.dispatchQueue, .threads])
  func asynchronousForms(_ driver: Workload.Driver) async {
    let held = HeldCompletions(until: 10)
    let failures = await run(
      workload(driver, callers: 1, rounds: 10, [.setAsync]),
      on: ClosureSubject { _, completion in held.hold(completion) })
    // The phase ends only if all ten calls were in progress at once.
    #expect(failures == [])
  }

  @Test("Every driver's preparation stores every key before the first call, and counts as no call")
  func preparation() async {
    let subject = DictionarySubject(completesLater: true)
    let progress = CountingProgress()
    _ = await run(
      workload(.threads, callers: 2, [.get], keys: 5, valueBytes: 9, preparesAllKeys: true),
      on: subject, progress: progress)
    #expect(subject.calls.prefix(5).map(\.kind) == Array(repeating: .set, count: 5))
    #expect(Set(subject.calls.prefix(5).map(\.key)).count == 5)
    #expect(subject.calls.prefix(5).allSatisfy { $0.value.count == 9 && $0.cost == 9 })
    #expect(progress.completedByCaller.values.reduce(0, +) == 2)
  }

  @Test("The driver of threads has all callers inside a call at once")
  func threadsOverlap() async {
    let inside = DispatchGroup()
    for _ in 0..<100 { inside.enter() }
    let failures = await run(
      workload(.threads, callers: 100, [.get]),
      on: ClosureSubject { _, completion in
        inside.leave()
        inside.wait()
        completion(.value(nil))
      })
    #expect(failures == [])
  }

  @Test("The driver of threads runs a thousand callers")
  func thousandThreads() async {
    let subject = DictionarySubject()
    let failures = await run(workload(.threads, callers: 1_000, [.set]), on: subject)
    #expect(failures == [])
    #expect(subject.calls.count == 1_000)
  }
}

/// Holds completions back until there are `count` of them, and then calls all of them.
private final class HeldCompletions: Sendable {
  private let lock = DispatchSemaphore(value: 1)
  private let count: Int
  // Accessed between wait and signal only.
  nonisolated(unsafe) private var held: [@Sendable (Reply) -> Void] = []

  init(until count: Int) {
    self.count = count
  }

  func hold(_ completion: @escaping @Sendable (Reply) -> Void) {
    lock.wait()
    held.append(completion)
    let all = held.count == count ? held : []
    lock.signal()
    for completion in all { completion(.done) }
  }
}
