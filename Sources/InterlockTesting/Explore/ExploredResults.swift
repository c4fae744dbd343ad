import Findings
import Foundation
internal import Interlock

/// A folder to which each process of `swift test` writes the results of its tests, as JSON.
///
/// `swift test` starts a process for XCTest and then one for Swift Testing.
struct ExploredResults: Sendable {
  private let folder: String
  private let path: String

  /// The results of this process; `nil` without a folder.
  init?(folder: String?) {
    guard let folder, !folder.isEmpty else { return nil }
    self.folder = folder
    path = "\(folder)/\(getpid()).json"
  }

  /// True if an order has failed in a test of an earlier process.
  var containFailure: Bool {
    ExploredTests(folder: folder)?.cases.contains { $0.result == .failed } == true
  }

  /// Rewrites the whole file each time: the process may be killed before it ends.
  func write(_ tests: ExploredTests) {
    guard let data = try? JSONEncoder().encode(tests) else { return }
    if let reason = replaceFile(path, by: String(decoding: data, as: UTF8.self)) {
      SectionTracking.announce("explore: '\(path)' could not be written: \(reason)")
    }
  }
}
