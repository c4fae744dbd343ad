// Without a section and without an oracle nothing could have shown a conflict, and the answer says
// so in place of "safe".
//
// Prints:
//
//   checkSendable: Flag: no conflict in 1 pair  08-NothingToSee.swift:22
//          set
//     set  not checked
//     set + set: not checked: 'set' begins no section, and there is no 'invariant' or 'state':…
//   ✔ Test nothingToSee() passed after 0.061 seconds.

import InterlockTesting
import Testing

private final class Flag: @unchecked Sendable {
  private var isSet = false

  func set() { isSet = true }
}

@Test func nothingToSee() async throws {
  try await checkSendable(of: Flag()) { check in check.operation("set") { $0.set() } }
}
