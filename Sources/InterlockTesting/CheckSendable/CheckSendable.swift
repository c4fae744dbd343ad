import Explorer
import Foundation
import Interlock
import Testing

/// Runs every two operations of a type against each other, and records an issue for each conflict.
///
/// Use it for a type that claims `@unchecked Sendable`. Every operation runs against every
/// operation, itself included, on a new subject. The orders of their steps are explored first. If
/// not every order could be explored, or if one of the operations begins no section, two threads
/// then also run the operations at once. The result is a matrix, which is printed, and attached to
/// the test as HTML if it has a conflict.
///
///     @Test func storeIsSendable() async throws {
///       try await checkSendable(of: ImageStore()) { check in
///         check.operation("store") { $0.store([1, 2, 3], for: "a") }
///         check.operation("image") { $0.image(for: "a") }
///         check.operation("contains") { $0.contains("a") }
///       }
///     }
///
/// A pair is called safe only if the check could have shown a conflict in it: see
/// `SendableMatrix.Outcome`. A check that could check no pair records an issue. A deadlock of the
/// two threads ends the process with code 86; a deadlock in an explored order is a conflict of the
/// pair.
///
/// - Parameters:
///   - subject: Makes a new subject, for each order and each round.
///   - budget: The real time for the whole matrix, from 0.1 seconds.
///   - rounds: The most rounds in which threads run a pair, 1 to 1,000,000.
///   - hangLimit: The longest time without progress of the process, from 0.1 s.
///   - replay: The string of a failure: executes only its pair, with only its order or its rounds.
///   - function: The test function, which identifies replay strings.
///   - fileID: The file, as `#fileID`, for issues without a line of their own.
///   - filePath: The file's path.
///   - line: The line.
///   - column: The column.
///   - operations: Adds the operations, and the invariants to check.
/// - Returns: The matrix.
/// - Throws: `StressError` if an argument is wrong, an operation fails by itself, or the call is
///   nested in another; `CancellationError` if the test was cancelled.
@discardableResult
public func checkSendable<Subject: Sendable>(
  of subject: @autoclosure @escaping @Sendable () async throws -> Subject,
  budget: Duration = .seconds(10), rounds: Int = 1_000, hangLimit: Duration = .seconds(10),
  replay: String? = nil, function: String = #function, fileID: String = #fileID,
  filePath: String = #filePath, line: Int = #line, column: Int = #column,
  _ operations: @Sendable (inout SendableOperations<Subject>) -> Void
) async throws -> SendableMatrix {
  let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  var plan = SendableOperations<Subject>()
  operations(&plan)
  if let problem = plan.problem { throw StressError(problem) }
  for (name, limit) in [("budget", budget), ("hangLimit", hangLimit)]
  where limit < .milliseconds(100) {
    throw StressError("'\(name)' must be at least 0.1 seconds, found \(limit)")
  }
  guard !StressNesting.isInside, !Exploration.isExplored else {
    throw StressError("a body that is stressed or explored cannot check another")
  }
  let check = SendableCheck(
    subject, plan, at: place, name: "\(fileID) \(function)", rounds: rounds, hangLimit: hangLimit)
  let matrix = try await check.matrix(within: budget, replay: replay)
  print("checkSendable: \(matrix)")
  if matrix.hasConflict, Test.current != nil {
    Attachment.record(matrix.html, named: "sendable.html", sourceLocation: place)
  }
  return matrix
}
