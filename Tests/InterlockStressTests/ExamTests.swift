import Foundation
import MemoryPrograms
import OrderPrograms
import PredictPrograms
import Prediction
import ProcessInspection
import Programs
import SamplePrograms
import StressRunner
import Testing
import Hangs

@testable import InterlockExam

@Suite("The examination of the detectors", .serialized)
struct ExamTests {
  private static let programs = Exam.families.flatMap(\.programs)
  private static let all = programs.flatMap(\.both)

  private static func count(_ programs: [Program], _ isCounted: (Expected) -> Bool) -> Int {
    programs.count { isCounted($0.expected) }
  }

  @Test("Each sample program and each twin has a unique name, and a scenario runs it once")
  func names() {
    #expect(Set(Self.all.map(\.name)).count == Self.all.count)
    let scenarios = Exam.scenarios.dropLast(2)
    #expect(scenarios.map(\.name) == Self.programs.map(\.name))
    #expect(scenarios.flatMap { $0.subjects ?? [] } == Self.all.map(\.name))
    for scenario in scenarios {
      #expect(scenario.workload.kinds == [.action("run")], "\(scenario.name)")
      #expect(scenario.workload.operationCount == 1, "\(scenario.name)")
    }
    #expect(Exam.scenarios.suffix(2).map(\.name) == ["findings-on-one-processor", "near-miss"])
    #expect(Exam.scenarios.dropLast().last?.subjects?.count == 11)
  }

  @Test("Each cause and each fault of a sample program is a cause or fault of reports")
  func words() {
    for cause in Expected.Cause.allCases {
      #expect(Diagnosis.Cause(rawValue: cause.rawValue) != nil, "\(cause)")
    }
    for fault in Expected.Fault.allCases {
      #expect(PotentialFinding.Kind(rawValue: fault.rawValue) != nil, "\(fault)")
    }
    for failure in Expected.Failure.allCases {
      #expect(Verdict.Kind(rawValue: failure.rawValue) != nil, "\(failure)")
    }
  }

  @Test("At least 25 programs hang, with every known cause, and at least 10 only seem to hang")
  func hangs() {
    for platform in PlatformName.allCases {
      let expected = hangPrograms.map { Expectation(of: $0, platform: platform) }
      let hanging = expected.filter { $0.verdict == .deadlock || $0.verdict == .crashed }
      let passing = expected.filter { $0.verdict == .passed }
      #expect(hanging.count >= 25)
      #expect(passing.count >= 10)
      #expect(hanging.count + passing.count == expected.count)
      let causes = Set(hanging.compactMap(\.cause))
      #expect(causes == Set(Diagnosis.Cause.allCases).subtracting([.unknown]))
    }
  }

  @Test("Each kind of fault is predicted in a program, and as many programs have none")
  func predictions() {
    let expected = (predictPrograms + racePrograms).map { Expectation(of: $0) }
    #expect(expected.allSatisfy { $0.verdict == .passed && $0.potential != nil })
    let kinds = Set(expected.flatMap { $0.potential ?? [] }.map(\.rawValue))
    #expect(kinds == Set(Expected.Fault.allCases.map(\.rawValue)))
    let wrong = expected.filter { $0.potential != [] }
    #expect(wrong.count >= 24)
    #expect(expected.count - wrong.count >= wrong.count)
  }

  @Test("Each program whose bug needs an order is only explored, and all orders of its twin pass")
  func orders() throws {
    for program in orderPrograms + exploredPrograms {
      let scenario = try #require(Exam.scenarios.first { $0.name == program.name })
      #expect(scenario.isExploredOnly)
      #expect(scenario.exploreExpectation(for: program.name).verdict != .passed)
      let twin = scenario.exploreExpectation(for: program.name + "-repaired")
      #expect(twin.verdict == .passed && twin.isFinished, "\(program.name)")
    }
    #expect(orderPrograms.count >= 40)
    #expect(exploredPrograms.count >= 30)
  }

  @Test("At least 40 programs race in memory, each with a twin, and as many more are correct")
  func memory() {
    let racy = memoryPrograms.filter { $0.expected == .races }
    #expect(racy.count >= 40)
    #expect(racy.allSatisfy { $0.both.map(\.expected) == [.races, .passes] })
    #expect(memoryPrograms.count - racy.count >= 40)
  }

  @Test("The page of the sample programs has the tables", arguments: Exam.families.map(\.family))
  func page(_ family: String) throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
      path: "../../Sources/InterlockStress/InterlockStress.docc/SamplePrograms.md"
    ).standardized.path
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let table = try #require(Exam.families.first { $0.family == family }).table
    let mark = "<!-- programs: \(family) -->\n\n"
    let start = try #require(text.range(of: mark)).upperBound
    let rows = text[start...].split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { $0.hasPrefix("|") }
    if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
      // The suite is serialized, because each family writes the same file.
      let end = rows.last?.endIndex ?? start
      let rest = rows.isEmpty ? "\n" + text[start...] : text[end...].dropFirst()
      try (text[..<start] + table + rest).write(toFile: path, atomically: true, encoding: .utf8)
    } else {
      #expect(rows.joined(separator: "\n") + "\n" == table)
    }
  }

  /// The first two programs of each set of predicted faults. The project's gate runs them all.
  private static let samples = Dictionary(
    grouping: predictPrograms + racePrograms, by: \.expected
  ).values.flatMap { $0.prefix(2) }.map(\.name).sorted()

  @Test(
    "'interlock-exam' finds the expected faults in programs of each kind, and nothing else",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/exe")),
    .disabled(if: Platform.isUnderThreadSanitizer, "nothing is interposed, so prediction is off"))
  func found() throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("interlock-exam")
    process.arguments = ["run"] + Self.samples
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.contains("\(Self.samples.count) met, 0 unmet, 0 skipped"), "\(text)")
    // Prediction was on: expectations are not judged without it.
    #expect(!text.contains("no prediction:"))
  }
}
