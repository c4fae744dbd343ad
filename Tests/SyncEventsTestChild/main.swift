import Foundation

// What the tests of the events need a process of its own for: the first argument names the program.

let arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.first, let program = Programs.all[name] else {
  print("programs: \(Programs.all.keys.sorted().joined(separator: " "))")
  exit(64)
}
program(Array(arguments.dropFirst()))
