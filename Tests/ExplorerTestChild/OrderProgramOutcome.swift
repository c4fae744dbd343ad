import Explorer
import Foundation
import OrderPrograms
import Programs

/// Explores a program of `OrderPrograms`, and prints the outcome as JSON. Runs in this process
/// because it has little debug information, all of which is searched for the lines of a failure.
///
/// - Parameter arguments: The program's name, the budget in seconds, and the width of the pool if
///   it is not the machine's.
/// - Throws: Why the program cannot be explored.
func printOutcome(ofOrderProgram arguments: ArraySlice<String>) throws {
  let name = arguments.first ?? ""
  guard let program = orderPrograms.flatMap(\.both).first(where: { $0.name == name }) else {
    fatalError("no program '\(name)'")
  }
  var options = ExplorationOptions()
  options.seconds = arguments.dropFirst().first.flatMap { Double($0) } ?? options.seconds
  options.poolWidth = arguments.dropFirst(2).first.flatMap { Int($0) }
  let outcome = try Exploration(options, of: name).run {
    do {
      try program.run {}
      return true
    } catch {
      return false
    }
  }
  print(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
}
