import Dispatch
import Explorer
import Testing
import Hangs

/// Two values that are locked one within the other, in both orders.
private final class Vault: Sendable {
  private let coins = LockBox(0)
  private let notes = LockBox(0)
  static let madeLines = [#line - 2, #line - 1]

  static let lines = [#line + 2, #line + 5]
  private func pay() {
    coins.withLockedValue { _ in notes.withLockedValue { $0 += 1 } }
  }
  private func draw() {
    notes.withLockedValue { _ in coins.withLockedValue { $0 += 1 } }
  }

  static func deadlock() -> Bool {
    let vault = Vault()
    parallel({ vault.pay() }, { vault.draw() })
    return true
  }
}

private enum Bodies {
  static let line = #line + 3
  static func neverSignalled() -> Bool {
    let semaphore = DispatchSemaphore(value: 0)
    parallel({ semaphore.wait() })
    return true
  }
}

extension DeadlockCauseTests {
  private static let file = "DeadlockCauseTests+Helpers.swift"

  @Test("a deadlock names the callers of helpers for each hold, each wait and each object")
  func callersOfHelpers() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure(Vault.deadlock)
      #expect(found.cause == .cycle)
      let held = found.explanation.filter { $0.contains(" holds the mutex made at ") }
      #expect(held.count == 2, "\(found.report)")
      for row in held {
        for line in Vault.madeLines {
          let made = "the mutex made at \(Self.file):\(line)  Vault.init() by LockBox.init(_:)"
          #expect(row.contains(made), "\(found.report)")
        }
        for (line, name) in zip(Vault.lines, ["pay()", "draw()"]) {
          let place = "\(Self.file):\(line)  Vault.\(name) by LockBox.withLockedValue(_:)"
          #expect(row.contains(place), "\(found.report)")
        }
      }
      for line in Vault.madeLines {
        let made = ": lock made at Vault.init()  \(Self.file):\(line) by LockBox.init(_:)\n"
        #expect(found.report.contains(made), "\(found.report)")
      }
      #expect(!found.report.contains("OwnHelpers.swift"), "\(found.report)")
    }
  }

  @Test("a wait that never ends names the caller of the helper that made its group")
  func callerOfMaker() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure(Bodies.neverSignalled)
      #expect(found.cause == .lostWakeUp)
      let text = found.explanation.joined(separator: "\n")
      let place = "\(Self.file):\(Bodies.line)  Bodies.neverSignalled() by parallel(_:)"
      #expect(text.contains("the group made at \(place) at \(place)"), "\(found.report)")
      #expect(!found.report.contains("OwnHelpers.swift"), "\(found.report)")
    }
  }
}
