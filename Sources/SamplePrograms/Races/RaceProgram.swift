import Foundation
import Interlock

/// All programs in which two accesses are in an order by luck alone, and their correct twins: what
/// is shared is marked.
package let racePrograms: [PredictProgram] =
  lockedRacePrograms
  + queuedRacePrograms
  + signalledRacePrograms
  + handedOverPrograms
  + taskRacePrograms
  + taskOrderPrograms
  + taskHandlerPrograms

/// Something that two owners share: a number, marked as a section.
final class Shared: @unchecked Sendable {
  // Unchecked, as the mistakes that the programs show: what guards the number is up to them.
  private var number = 0
  private let section = Section("number")

  func set(_ value: Int) { section.write { number = value } }
  func get() -> Int { section.read { number } }
}

/// Runs the first at once and the second a fifth of a second later, each on a thread of its own,
/// and waits for both.
///
/// Both threads are started before either has run: only the clock brings the second behind the
/// first.
func oneAfterAnother(
  _ first: @escaping @Sendable () -> Void, _ second: @escaping @Sendable () -> Void
) {
  let ended = DispatchGroup()
  let start = DispatchSemaphore(value: 0)
  for (body, seconds) in [(first, 0.0), (second, 0.2)] {
    ended.enter()
    Thread.detachNewThread {
      start.wait()
      Thread.sleep(forTimeInterval: seconds)
      body()
      ended.leave()
    }
  }
  start.signal()
  start.signal()
  ended.wait()
}
