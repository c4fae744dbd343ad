import Foundation

// Programs for tests of the events that need a process of their own: the first argument names one.

let arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.first, let program = Programs.all[name] else {
  print("programs: \(Programs.all.keys.sorted().joined(separator: " "))")
  exit(64)
}
program(Array(arguments.dropFirst()))
