import Foundation
import InterlockTestsC
import Synchronization

@testable import Interlock
@testable import SectionTable

/// Two threads that write to one section, each after a pause, so that they rarely overlap without
/// delays.
enum PausedWrites: Sendable {
  /// Without a lock.
  case racy
  /// With a lock before and after the section, which protects no access.
  case masked
  /// With two locked accesses in a section that spans both.
  case checkThenAct
  /// With the section under the lock.
  case locked

  /// Makes calls until `isEnough` returns true; checks it before each call.
  func run(
    on section: Section, pauses: Bool = true, until isEnough: @escaping @Sendable () -> Bool
  ) {
    let lock = NSLock()
    let start = SpinBarrier(parties: 2)
    let threads = (0..<2).map { _ in
      JoinableThread {
        start.wait()
        while !isEnough() {
          if pauses { usleep(.random(in: 0...1_000)) }
          write(to: section, lock)
        }
      }
    }
    for thread in threads { thread.join() }
  }

  private func write(to section: Section, _ lock: NSLock) {
    switch self {
    case .racy:
      section.write {}
    case .masked:
      lock.withLock {}
      section.write {}
      lock.withLock {}
    case .checkThenAct:
      section.write {
        lock.withLock {}
        lock.withLock {}
      }
    case .locked:
      lock.withLock { section.write {} }
    }
  }
}

/// Renews the budget of delays when it is nearly spent. Without this, a loop that waits for an
/// overlap by a delay would never end on a machine where the other thread always comes too late.
func renewDelayBudget() {
  guard let budget = NearMissDelays.made?.budget, budget.spent > 1_500_000 else { return }
  budget.restart()
}

/// A trap file in a temporary folder, which is removed with the object.
final class TrapFolder: Sendable {
  let folder: String
  var path: String { folder + "/traps" }

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/traps-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  var text: String? { try? String(contentsOfFile: path, encoding: .utf8) }
  /// The lines of the pairs, below the heading.
  var lines: [String] { text?.split(separator: "\n").dropFirst().map { String($0) } ?? [] }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}
