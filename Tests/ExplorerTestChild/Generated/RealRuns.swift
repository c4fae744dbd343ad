import Dispatch
import Foundation

/// Executes a program outside the explorer, on the real Dispatch and the real runtime.
struct RealRuns {
  private(set) var outcomes: Set<String> = []

  private final class Seen: @unchecked Sendable {
    // Unchecked: the lock protects the set.
    private let lock = NSLock()
    private var outcomes: Set<String> = []
    func note(_ outcome: String) { lock.withLock { _ = outcomes.insert(outcome) } }
    var all: Set<String> { lock.withLock { outcomes } }
  }

  /// Three threads execute the program at the same time, each `count / 3` times. Ends the process
  /// if the program hangs.
  init(_ program: GeneratedProgram, _ count: Int) {
    let seen = Seen()
    let runners = 3
    let hasEnded = DispatchSemaphore(value: 0)
    for runner in 0..<runners {
      Thread.detachNewThread {
        for run in 0..<(count + runners - 1) / runners {
          let number = UInt64(run * runners + runner)
          seen.note(
            program.execute { party, call in Self.delay(number, UInt64(party), UInt64(call)) })
        }
        hasEnded.signal()
      }
    }
    for _ in 0..<runners where hasEnded.wait(timeout: .now() + 60) == .timedOut {
      print("seed=\(program.seed) outside: the real program hangs\n\(program.text)")
      exit(1)
    }
    outcomes = seen.all
  }

  /// Varies the order by delays. One of four executions has none; in the others a call waits for
  /// some turns of a loop, yields or sleeps, as a hash of the numbers decides.
  private static func delay(_ run: UInt64, _ party: UInt64, _ call: UInt64) {
    var hash = (run &* 31 &+ party) &* 31 &+ call &+ 1
    hash = (hash ^ hash >> 30) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ hash >> 27) &* 0x94d0_49bb_1331_11eb
    let amount = UInt32((hash ^ hash >> 31) & 63)
    switch run % 4 {
    case 0: return
    case 1:
      var turns = amount * 32
      while turns > 0 { turns = withExtendedLifetime(turns) { $0 - 1 } }
    case 2: if amount & 1 == 0 { sched_yield() }
    default: if amount < 24 { usleep(amount) }
    }
  }
}
