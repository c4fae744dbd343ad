import Dispatch
import ProcessInspection
import StressRunner
import Synchronization

/// Measures a strategy on a workload for one round.
struct Round {
  /// The result of a round.
  enum Outcome {
    /// The round's figures.
    case measured(RoundFigures)
    /// Callers did not return: most likely a deadlock. Their threads still exist.
    case stuck(callers: Int)
  }

  /// The time after the end of the round after which a caller counts as stuck.
  var patienceSeconds = 20.0
  /// How long a caller on a shared thread runs before it yields; nanoseconds.
  private static let turn = 200_000

  let driver: Workload.Driver
  let pace: Pace
  let seconds: Double

  /// Runs the callers together, waits, stops them, and waits until they have stopped.
  ///
  /// The counts are read at the end of the round, not when the last caller notices the end: with
  /// fewer processors than callers, some callers still wait for a processor at that time.
  func run(_ work: Work, _ rings: [CallRing], _ callers: [Caller]) -> Outcome {
    for (number, caller) in callers.enumerated() {
      let offset = Self.offset(of: number, among: callers.count, every: pace.interval ?? 0)
      caller.prepare(rings[number], pace, offset: offset)
    }
    let stop = StopFlag()
    let line = StartLine(parties: callers.count)
    let ended = DispatchSemaphore(value: 0)
    start(callers, on: work, line, until: stop) { ended.signal() }
    line.waitForAll()
    let before = ResourceUse.now
    let start = Clock.now
    line.release()
    var left = Int(seconds * 1e9)
    while left > 0 {
      Clock.sleep(nanoseconds: left)
      left = start + Int(seconds * 1e9) - Clock.now
    }
    let counts = callers.map { $0.done.load(ordering: .relaxed) }
    let elapsed = Clock.now - start
    let after = ResourceUse.now
    stop.set()
    let deadline = DispatchTime.now() + patienceSeconds
    var back = 0
    for _ in callers where ended.wait(timeout: deadline) == .success { back += 1 }
    guard back == callers.count else { return .stuck(callers: callers.count - back) }
    return .measured(
      figures(
        callers, counts: counts, nanoseconds: elapsed, before, after, lost: lost(work, callers)))
  }

  /// How long after its start a caller's first call is due, if the load is open; nanoseconds.
  ///
  /// The calls of all callers are due at equal distances, and the first half a distance after the
  /// start: a round then has its length times the rate of calls, rounded, not one more.
  static func offset(of number: Int, among callers: Int, every interval: Int) -> Int {
    interval * (2 * number + 1) / (2 * callers)
  }

  private func figures(
    _ callers: [Caller], counts: [Int], nanoseconds: Int, _ before: ResourceUse,
    _ after: ResourceUse, lost: Int
  ) -> RoundFigures {
    let operations = counts.reduce(0, +)
    var all = LatencyHistogram()
    for caller in callers { all.add(caller.histogram) }
    var latencies: [LatencyPoint: Int] = [:]
    for point in LatencyPoint.allCases {
      latencies[point] = all.value(atFraction: point.fraction)
    }
    let processor = Double(after.processorNanoseconds - before.processorNanoseconds)
    var figures = RoundFigures(operations: operations, seconds: Double(nanoseconds) / 1e9)
    figures.latencies = latencies
    figures.timed = all.count
    figures.longestWait = callers.map(\.longestStretch).max() ?? 0
    figures.fairness = jainIndex(counts.map(Double.init))
    figures.largestShare = Double(counts.max() ?? 0) / Double(max(1, operations))
    figures.processorNanoseconds = processor / Double(max(1, operations))
    figures.voluntarySwitches = after.voluntarySwitches - before.voluntarySwitches
    figures.involuntarySwitches = after.involuntarySwitches - before.involuntarySwitches
    figures.threads = callers.reduce(into: Set<UInt>()) { $0.formUnion($1.threads) }.count
    figures.faults = lost + callers.reduce(0) { $0 + $1.tally.broken }
    return figures
  }

  private func lost(_ work: Work, _ callers: [Caller]) -> Int {
    let writes = callers.reduce(0) { $0 + $1.tally.writes }
    switch work {
    case .synchronous(let work): return work.lost(of: writes)
    case .asynchronous(let work): return wait(for: { await work.lost(of: writes) })
    }
  }

  /// Starts each caller as the driver says; tasks always call asynchronous work.
  private func start(
    _ callers: [Caller], on work: Work, _ line: StartLine, until stop: StopFlag,
    ended: @escaping @Sendable () -> Void
  ) {
    switch (work, driver) {
    case (.synchronous(let work), .threads):
      for caller in callers {
        DedicatedThread.detached {
          line.arriveAndWait()
          caller.run(on: work, until: stop)
          ended()
        }
      }
    case (.synchronous(let work), .dispatchQueue):
      let queue = DispatchQueue(label: "interlock.compared-callers", attributes: .concurrent)
      line.startWithoutThem {
        for caller in callers {
          queue.async { Self.takeTurns(caller, on: work, queue, until: stop, ended: ended) }
        }
      }
    case (.synchronous(let work), .tasks):
      line.startWithoutThem {
        for caller in callers {
          Task.detached {
            while !stop.isSet {
              caller.run(on: work, until: stop, atMost: Self.turn)
              await Task.yield()
            }
            ended()
          }
        }
      }
    case (.asynchronous(let work), _):
      line.startWithoutThem {
        for caller in callers {
          Task.detached {
            while !stop.isSet {
              await caller.run(on: work, until: stop, atMost: Self.turn)
              await Task.yield()
            }
            ended()
          }
        }
      }
    }
  }

  private static func takeTurns(
    _ caller: Caller, on work: any SynchronousWork, _ queue: DispatchQueue, until stop: StopFlag,
    ended: @escaping @Sendable () -> Void
  ) {
    guard !stop.isSet else { return ended() }
    caller.run(on: work, until: stop, atMost: turn)
    queue.async { takeTurns(caller, on: work, queue, until: stop, ended: ended) }
  }
}

/// Blocks this thread, which belongs to no pool, until asynchronous work has ended.
func wait<Value: Sendable>(for body: @escaping @Sendable () async -> Value) -> Value {
  let answer = HandOver<Value>()
  Task.detached { answer.give(await body()) }
  return answer.take()
}
