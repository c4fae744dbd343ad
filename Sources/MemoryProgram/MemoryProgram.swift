import CInterlockMemory
import Foundation
import MemoryPrograms
import Programs

/// Runs one of the programs of `Sources/SamplePrograms/Memory`, for detectors that need no marks.
///
///     MemoryProgram                   lists the programs: 'racy NAME' or 'correct NAME'
///     MemoryProgram NAME              runs a program
///     MemoryProgram --check NAME      runs it under Interlock's check of memory, and exits with 66
///                                     if two of its accesses race
@main
struct MemoryProgram {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    switch (arguments.count, arguments.first) {
    case (0, _):
      for program in memoryPrograms.flatMap(\.both) {
        print(program.expected == .races ? "racy" : "correct", program.name)
      }
    case (1, let name?): try program(name).run {}
    case (2, "--check"): try check(program(arguments[2]))
    default: fail("expected the name of a program, found \(arguments.count) arguments")
    }
  }

  private static func check(_ program: Program) throws {
    if let reason = interlock_memory_start() {
      fail("memory is not checked: \(String(cString: reason))")
    }
    try program.run {}
    if let reason = interlock_memory_blindness() {
      fail("memory is no longer checked: \(String(cString: reason))")
    }
    if interlock_memory_pairs() > 0 { exit(66) }
  }

  private static func program(_ name: String) -> Program {
    guard let program = memoryPrograms.flatMap(\.both).first(where: { $0.name == name }) else {
      fail("there is no program '\(name)'")
    }
    return program
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("error: \(message)\n".utf8))
    exit(64)
  }
}
