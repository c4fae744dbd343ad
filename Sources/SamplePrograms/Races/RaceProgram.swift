import Foundation
import Interlock
package import Programs

/// All programs in which two accesses are ordered by luck alone, and their correct twins. The
/// shared state is marked. See FastTrack (PLDI 2009).
package let racePrograms: [Program] =
  lockedRacePrograms
  + queuedRacePrograms
  + signalledRacePrograms
  + handedOverPrograms
  + taskRacePrograms
  + taskOrderPrograms
  + taskHandlerPrograms
  + taskEdgeRacePrograms
  + taskEdgePrograms

/// Shared state of two owners: a number, marked as a section.
final class Shared: @unchecked Sendable {
  // Unchecked, like the faults that the programs show: each program decides what guards the number.
  private var number = 0
  private let section = Section("number")

  func set(_ value: Int) { section.write { number = value } }
  func get() -> Int { section.read { number } }
}

/// Runs the first body at once and the second a fifth of a second later, each on its own thread,
/// and waits for both.
///
/// Both threads are started before either has run: only the clock puts the second after the first.
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
