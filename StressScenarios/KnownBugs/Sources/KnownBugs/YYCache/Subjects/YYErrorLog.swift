import Foundation
import InterlockStress

/// The lines that a disk cache has logged, and how many the calls so far must have caused.
///
/// `@unchecked Sendable`: all mutable state is under `lock`.
final class YYErrorLog: @unchecked Sendable {
  /// SQLite's text for a change of a database that may only be read.
  private static let text = "attempt to write a readonly database"

  private let lock = NSLock()
  private var lines: [String] = []
  private var expectedCount = 0
  private var isExpecting = false

  /// Whether the calls from now on must each log one line.
  var areExpected: Bool {
    get { lock.withLock { isExpecting } }
    set { lock.withLock { isExpecting = newValue } }
  }

  /// Appends a line. The cache calls this under its own lock.
  func append(_ line: String) { lock.withLock { lines.append(line) } }

  /// Counts a call that must log one line.
  func expectFailure() { lock.withLock { expectedCount += isExpecting ? 1 : 0 } }

  /// Compares the lines with those that are expected.
  func check() -> Reply {
    lock.withLock {
      if let other = lines.first(where: { $0 != Self.text }) { return .failed("logged '\(other)'") }
      if lines.count != expectedCount {
        return .failed("logged \(lines.count) lines for \(expectedCount) calls that failed")
      }
      return .done
    }
  }
}

extension YYDiskCache {
  /// Makes every change of the database fail from now on, as in a folder that is read-only, or ends
  /// that. Only this connection is affected: file modes would not stop a privileged user.
  func deniesWrites(_ isDenied: Bool) {
    withStorage { storage in
      _ = storage.query { database throws(SQLiteError) in
        try database.execute("PRAGMA query_only = \(isDenied ? 1 : 0)")
      }
    }
  }
}
