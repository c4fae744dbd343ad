internal import CMarks

/// What `swift test` has started a process for: one for the tests of XCTest, one for those of Swift
/// Testing, whether there are any or not, and others to list tests.
enum TestPass {
  /// Whether a process with these arguments runs no test of the user's.
  static func hasNoTests(_ arguments: [String], hasXCTests: Bool = interlock_has_xctests()) -> Bool
  {
    let options = arguments.dropFirst()
    if options.contains("--list-tests") || options.contains("--dump-tests-json") { return true }
    // XCTest is the library that no option names.
    guard arguments.first?.hasSuffix(".xctest") ?? false, !options.contains("--testing-library")
    else { return false }
    // A filter that matches nothing gives an empty list, which the package manager passes in shell
    // quotes.
    return !hasXCTests || options.first.map { ["", "''"].contains($0) } ?? false
  }
}
