import Foundation
import ProcessInspection
import Programs
import SamplePrograms
import StressRunner
import Testing
import Hangs

@testable import InterlockExam

/// A certain hang is found as soon as the threads rest: ten or twenty times earlier than a hang
/// that only lasts for the stall window. Here the window never ends, so that no other check finds a
/// hang.
@Suite(
  "The hangs of the sample programs", .serialized,
  .disabled(if: Platform.isUnderThreadSanitizer, "nothing is interposed under ThreadSanitizer"))
struct CertainHangTests {
  /// Hangs that only the stall window finds.
  private static let doubtful: Set = [
    // A pool of 65 threads serves these readers after a minute.
    "64-readers-behind-a-barrier",
    // A process that waits for a timer source may be idle.
    "timer-never-resumed",
  ]

  /// The verdict on each program, by its name.
  private static func verdicts(on programs: [Program]) throws -> [String: Verdict] {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    var runner = TrialRunner(jobs: 4)
    runner.executable =
      URL(fileURLWithPath: own).deletingLastPathComponent().appending(path: "interlock-exam").path
    let trials = programs.map { program in
      var scenario = Exam.scenario(program)
      scenario.oracles = []
      scenario.limits.stallSeconds = 1000
      scenario.limits.timeSeconds = doubtful.contains(program.name) ? 5 : 120
      return Trial(scenario: scenario, subject: program.name, seed: 1)
    }
    var verdicts: [String: Verdict] = [:]
    _ = runner.run(trials) {
      if case .finished(_, let result) = $0 { verdicts[result.trial.subject] = result.verdict }
    }
    return verdicts
  }

  private static func hangs(_ program: Program) -> Bool {
    Expectation(of: program).verdict == .deadlock
  }

  @Test("each hang is certain without the stall window: by a cycle, a wait or a pool's forecast")
  func certain() throws {
    let hangs = hangPrograms.filter(Self.hangs)
    let verdicts = try Self.verdicts(on: hangs)
    #expect(verdicts.count == hangs.count && hangs.count >= 60)
    for program in hangs {
      let verdict = try #require(verdicts[program.name])
      if Self.doubtful.contains(program.name) {
        #expect(verdict.kind == .timedOut, "\(program.name): \(verdict)")
      } else {
        #expect(verdict.kind == .deadlock, "\(program.name): \(verdict)")
        #expect(verdict.diagnosis?.isCertain == true, "\(program.name): \(verdict)")
      }
    }
    // The pools of these programs run dry behind a barrier, or behind blocks of the same queue.
    for name in ["barrier-behind-waiting-readers", "concurrent-queue-waits-behind"] {
      #expect(verdicts[name]?.diagnosis?.certainty == .certainIfBlocksAreAlike, "\(name)")
    }
  }

  @Test("no hang is seen in a sample program that ends")
  func correct() throws {
    let correct = hangPrograms.filter { Expectation(of: $0).verdict == .passed }
    let verdicts = try Self.verdicts(on: correct)
    #expect(verdicts.count == correct.count && correct.count >= 30)
    for (name, verdict) in verdicts {
      #expect(verdict.kind == .passed, "\(name): \(verdict)")
    }
  }
}
