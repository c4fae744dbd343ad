import Foundation
import OrderPrograms
import PredictPrograms
import Programs
import SamplePrograms

/// Runs one sample program without a harness, for detectors that observe a process from outside.
///
///     DetectorProgram NAME                             runs the program, and exits with 0; with 1
///                                                      if the program finds its result wrong
///     DetectorProgram --repeat NAME                    runs a program whose bug needs an order
///                                                      100 times, or for a second
///     DetectorProgram --orders                         lists the programs whose bug needs an order
///     DetectorProgram --time THREADS CALLS             prints the nanoseconds of an unmarked call
///                                                      of the guarded table
///     DetectorProgram --time-sections THREADS CALLS    the same, with a section for each call
@main
struct DetectorProgram {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    switch (arguments.count, arguments.first) {
    case (3, "--time"), (3, "--time-sections"):
      let numbers = arguments.dropFirst().compactMap { Int($0) }
      guard numbers.count == 2, (1...64).contains(numbers[0]), numbers[1] >= numbers[0] else {
        fail("'\(arguments[1])' expects a number of threads and one of calls")
      }
      let table = GuardedTable()
      // Warm up: the first thread and the first keys take time, especially under a detector.
      let (threads, calls) = (numbers[0], numbers[1])
      _ = table.nanosecondsOfCall(threads: threads, turns: calls / 10 + threads, marked: false)
      let marked = arguments.first == "--time-sections"
      print(table.nanosecondsOfCall(threads: threads, turns: calls, marked: marked))
    case (2, "--repeat"):
      let name = arguments[2]
      guard let program = program(name, of: orderPrograms) else {
        fail("there is no program '\(name)' whose bug needs an order")
      }
      let end = ContinuousClock.now + .seconds(1)
      for _ in 0..<100 where ContinuousClock.now < end { run(program) }
    case (1, "--orders"):
      for program in orderPrograms { print(program.name) }
    case (1, let name?):
      let programs = orderPrograms + predictPrograms + racePrograms + detectorPrograms
      guard let program = program(name, of: programs) else { fail("there is no program '\(name)'") }
      run(program)
    default:
      fail("expected the name of a program, found \(arguments.count) arguments")
    }
  }

  private static func program(_ name: String, of programs: [Program]) -> Program? {
    programs.flatMap(\.both).first { $0.name == name }
  }

  private static func run(_ program: Program) {
    do {
      try program.run {}
    } catch {
      FileHandle.standardError.write(Data("\(program.name): \(error)\n".utf8))
      exit(1)
    }
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("error: \(message)\n".utf8))
    exit(64)
  }
}
