import Foundation
import Synchronization

// Programs for tests of the events in a separate process: the first argument names the program.

/// A lock whose calls no reader sees.
final class Gate: Sendable {
  let mutex = Mutex(0)
}

// Takes two locks in both orders, always under one `Mutex`, in closures of top-level code.
if CommandLine.arguments.dropFirst().first == "gated-in-top-level-code" {
  let gate = Gate()
  let (first, second) = (NSLock(), NSLock())
  let done = DispatchSemaphore(value: 0)
  Thread {
    gate.mutex.withLock { _ in first.withLock { second.withLock {} } }
    done.signal()
  }.start()
  Thread {
    gate.mutex.withLock { _ in second.withLock { first.withLock {} } }
    done.signal()
  }.start()
  for _ in 0..<2 { done.wait() }
  exit(0)
}

let arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.first, let program = Programs.all[name] else {
  print("programs: \(Programs.all.keys.sorted().joined(separator: " "))")
  exit(64)
}
program(Array(arguments.dropFirst()))
