// The stress runs in a process of its own: its crash is an issue of this test, and others go on.
//
// Prints:
//
//   ✘ Test crashAsAnIssue() recorded an issue at 09-CrashAsAnIssue.swift:16:1: Issue recorded
//   ↳ the stress crashes: signal 4 (Illegal instruction)
//       Swift/ContiguousArrayBuffer.swift:692: Fatal error: Index out of range
//     replay: stress(replay: "s1-2-3-threads-5bea3c022d1fe118-ddc0")
//   ✘ Test crashAsAnIssue() failed after 0.596 seconds with 1 issue.

import InterlockTesting
import Testing

@Test func crashAsAnIssue() async throws {
  try await stress([1, 2, 3], callers: 2, rounds: 3, isolation: .process) { numbers, caller in
    if caller.round == 2 { _ = numbers[numbers.count + caller.index] }
  }
}
