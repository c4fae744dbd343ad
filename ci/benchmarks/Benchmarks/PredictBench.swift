import CInterlockAnalysis
import CInterlockEvents
import Dispatch
import Foundation
import InterlockStress
import Prediction

/// The cost of prediction together with the wait table, which every trial turns on.
enum PredictBench {
  /// Measures and prints the table. Prediction then stays on in this process, so run other benches
  /// before.
  static func run() throws {
    guard interlock_events_available() == INTERLOCK_EVENTS_ALL,
      let real = RealMutex()
    else {
      print("the calls that wait and wake are not seen in this build")
      return
    }
    guard !interlock_waits_started() else {
      print("the wait table is on already: run this bench alone")
      return
    }
    // Start a second thread: locks are cheaper in a process with one thread.
    let company = Companion()
    defer { company.leave() }
    let (bare, difference) = UnseenCalls.measure {
      Measurement(rows(real), rounds: 31, turns: 20_000)
    }
    _ = interlock_waits_start()
    let waits = Measurement(rows(real), rounds: 31, turns: 20_000)
    Predictor.start()
    let both = Measurement(rows(real), rounds: 31, turns: 20_000)
    print("prediction; medians of interleaved rounds")
    print("against a process without Interlock")
    for index in 1...4 {
      // Dividing by the real pair, which no reader sees, cancels changes of the machine's speed.
      func ratio(_ read: Measurement) -> Double {
        (read.median(index) / read.median(0)) / (bare.median(index) / bare.median(0))
      }
      EventsBench.line(
        names[index], String(format: "%.2f ×", ratio(both)),
        (index == 1 ? "(≤ 3 ×; " : "(")
          + String(format: "wait table alone %.2f ×; ", ratio(waits))
          + "\(EventsBench.nanoseconds(both, index)) against "
          + "\(EventsBench.nanoseconds(bare, index)))", index > 1 || ratio(both) <= 3)
    }
    print("  " + difference)
    print("1,000 reads with 50 rounds, against the same trial without prediction")
    for subject in ["mutex", "semaphore-lock", "own-nslock", "own-serial-queue"] {
      let ratio = try EventsBench.trialRatio(on: subject) { ([:], $0) }
      EventsBench.line(
        "on '\(subject)'", String(format: "%.2f ×", ratio), "(≤ 1.10 ×)", ratio <= 1.1)
    }
  }

  private static let names = [
    "the C library's", "NSLock, lock + unlock", "NSLock inside another, lock + unlock",
    "DispatchSemaphore of 1, wait + signal", "sync on a serial queue",
  ]

  private static func rows(_ real: RealMutex) -> [Measurement.Row] {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    let lock = NSLock()
    let outer = NSLock()
    let semaphore = DispatchSemaphore(value: 1)
    let queue = DispatchQueue(label: "bench")
    return [
      .init(name: names[0]) { turns in
        for _ in 0..<turns {
          _ = real.lock(mutex)
          _ = real.unlock(mutex)
        }
      },
      .init(name: names[1]) { turns in
        for _ in 0..<turns {
          lock.lock()
          lock.unlock()
        }
      },
      .init(name: names[2]) { turns in
        outer.lock()
        for _ in 0..<turns {
          lock.lock()
          lock.unlock()
        }
        outer.unlock()
      },
      .init(name: names[3]) { turns in
        for _ in 0..<turns {
          semaphore.wait()
          semaphore.signal()
        }
      },
      .init(name: names[4]) { turns in
        for _ in 0..<turns { queue.sync {} }
      },
    ]
  }
}
