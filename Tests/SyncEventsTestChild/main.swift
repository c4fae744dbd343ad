import Foundation
import Synchronization

// Programs for tests of the events that need a process of their own: the first argument names one.

/// A lock whose calls are not seen.
final class Gate: Sendable {
  let mutex = Mutex(0)
}

// Two locks in both orders, always under one `Mutex`, in closures of top-level code.
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
