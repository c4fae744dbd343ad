// Without a section and without an oracle nothing could have shown a conflict: that is an issue of
// the test.
//
// Prints:
//
//   ✘ Test nothingToSee() recorded an issue at 08-NothingToSee.swift:25:13: Issue recorded
//   ↳ Flag: nothing was checked: 1 pair not checked  08-NothingToSee.swift:25
//   checkSendable: Flag: nothing was checked: 1 pair not checked  08-NothingToSee.swift:25
//          set
//     set  not checked
//     set + set: not checked: 'set' begins no section, and there is no 'invariant' or 'state':…
//   ✘ Test nothingToSee() failed after 0.061 seconds with 1 issue.

import InterlockTesting
import Testing

private final class Flag: @unchecked Sendable {
  private var isSet = false

  func set() { isSet = true }
}

@Test func nothingToSee() async throws {
  try await checkSendable(of: Flag()) { check in check.operation("set") { $0.set() } }
}
