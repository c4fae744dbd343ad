import CInterlockMemory
import Foundation
import Interlock
import MemoryCheck
import MemoryTestC
import Prediction
import Synchronization

// Runs one program, named by the first argument, under the check of races in memory. Each race is
// printed as a line; the exit code is 66 if there is any. For programs of lock orders prediction is
// on, and prints each finding as a line. With the second argument `meant`, the races are as users
// get them, and the line says what the race means; `undecided:` begins that of a race which is not
// decided.

/// `write 8 held 1 known frames 2`: one side of a race; `held 1 for reading`.
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

/// An object that is made once. The operations of its reference are functions of the library.
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
  /// Starts the check; returns why it cannot.
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
