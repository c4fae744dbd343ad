import CInterlockMemory
import Foundation
import MemoryPrograms

/// Runs one of the programs of `Sources/SamplePrograms/Memory`, for detectors that need no marks.
///
///     MemoryProgram                   lists the programs: 'racy NAME' or 'correct NAME'
///     MemoryProgram NAME              runs a program
///     MemoryProgram --check NAME      runs it under Interlock's check of memory, and exits with 66
///                                     if two of its accesses race
@main
struct MemoryProgram {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    switch (arguments.count, arguments.first) {
    case (0, _):
      for program in memoryPrograms { print(program.isRacy ? "racy" : "correct", program.name) }
    case (1, let name?): program(name).run()
    case (2, "--check"): check(program(arguments[2]))
    default: fail("expected the name of a program, found \(arguments.count) arguments")
    }
  }

  private static func check(_ program: MemoryPrograms.MemoryProgram) {
    if let reason = interlock_memory_start() {
      fail("memory is not checked: \(String(cString: reason))")
    }
    program.run()
    if let reason = interlock_memory_blindness() {
      fail("memory is no longer checked: \(String(cString: reason))")
    }
    if interlock_memory_pairs() > 0 { exit(66) }
  }

  private static func program(_ name: String) -> MemoryPrograms.MemoryProgram {
    guard let program = memoryPrograms.first(where: { $0.name == name }) else {
      fail("there is no program '\(name)'")
    }
    return program
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("error: \(message)\n".utf8))
    exit(64)
  }
}
