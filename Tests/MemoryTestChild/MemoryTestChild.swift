import CInterlockMemory
import Foundation
import Interlock
import MemoryCheck
import MemoryTestC
import Prediction
import Synchronization

// Runs the program that the first argument names, under the check of races in memory. Prints each
// race as a line, and ends with 66 if there is any. Programs of lock orders run with prediction,
// and print each finding as a line. With the second argument `meant`, the lines have the meaning of
// the races as users get it, and the line of a race that is not decided begins with
// `undecided:`.

/// One side of a race, as in `write 8 held 1 known frames 2` or `held 1 for reading`.
private func text(_ side: interlock_memory_side) -> String {
  let held =
    "\(side.held_count)"
    + (side.held_count > 0 && side.held.0.is_shared ? " for reading" : "")
  return (side.is_atomic ? "atomic " : "") + (side.is_write ? "write" : "read")
    + " \(side.size) held \(held) \(side.is_known ? "known" : "unknown")"
    + " frames \(side.frame_count)"
}

/// Called on the thread that races.
private func report(_ race: UnsafePointer<interlock_memory_race>?) {
  guard let race = race?.pointee else { return }
  print("race: \(text(race.now)); \(text(race.before))")
}

private func printPredictions() {
  let record = Predictor.record(atEnd: true)
  guard case .on = record.state else {
    print("no prediction: \(record.state)")
    exit(1)
  }
  for note in record.notes { print("note: \(note)") }
  for finding in record.findings {
    print("potential: \(finding.kind.rawValue): \(finding.headline)")
  }
}

/// An object that is made once. The library's functions perform the operations of its reference.
private final class Made: Sendable {
  private static let one = Made()
  private let object = AtomicLazyReference<Made>()

  static func use() { _ = one.object.storeIfNil(Made()) }
}

@main enum MemoryTestChild {
  static func main() {
    guard let name = CommandLine.arguments.dropFirst().first else {
      var index = 0
      while let name = memory_test_name(index) {
        print(String(cString: name))
        index += 1
      }
      for name in SwiftPrograms.all.keys.sorted() { print(name) }
      for name in OrderPrograms.all.keys.sorted() { print(name) }
      return
    }
    if OrderPrograms.all[name] != nil { Predictor.start() }
    if let reason = start(CommandLine.arguments.dropFirst(2).first) {
      print("not armed: \(reason)")
      exit(1)
    }
    if name == "uncontrolled" {
      Made.use()
      print(UncontrolledCode.place(inModule: "MemoryTestChild") ?? "nothing")
      return
    }
    if let program = SwiftPrograms.all[name] ?? SizePrograms.all[name] {
      program()
    } else if let program = OrderPrograms.all[name] {
      program()
      printPredictions()
    } else if !memory_test_run(name) {
      print("no program '\(name)'")
      exit(64)
    }
    print("done")
    fflush(nil)
    exit(interlock_memory_pairs() > 0 ? 66 : 0)
  }
  /// Starts the check. Returns the reason if it cannot start.
  private static func start(_ kind: String?) -> String? {
    switch kind {
    case "off": return nil
    case "meant":
      return MemoryCheck.start { found in
        print("\(found.race.isDecided ? "race" : "undecided"): \(found.race.meaning)")
      }
    default:
      interlock_memory_report_to(report)
      return interlock_memory_start().map { String(cString: $0) }
    }
  }
}
