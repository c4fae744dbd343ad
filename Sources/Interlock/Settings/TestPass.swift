internal import CMarks

/// The purpose of a process started by `swift test`: the tests of XCTest, those of Swift Testing
/// (each started even without tests), or listing tests.
enum TestPass {
  /// True if a process with these arguments runs none of the user's tests.
  static func hasNoTests(_ arguments: [String], hasXCTests: Bool = interlock_has_xctests()) -> Bool
  {
    let options = arguments.dropFirst()
    if options.contains("--list-tests") || options.contains("--dump-tests-json") { return true }
    // A process for XCTest has no option that names the library.
    guard arguments.first?.hasSuffix(".xctest") ?? false, !options.contains("--testing-library")
    else { return false }
    // A filter that matches nothing gives an empty list, which the package manager passes in shell
    // quotes.
    return !hasXCTests || options.first.map { ["", "''"].contains($0) } ?? false
  }
}
