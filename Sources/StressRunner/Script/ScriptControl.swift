import Foundation

/// Lets the roles of a script move in its order, and keeps a record of it.
///
/// A role that is in the order moves from one of its steps to the next only when that is the next
/// of all: it waits before it begins, and at each place that it has reached. After its last step it
/// waits until every step has been reached.
///
/// Thread-safe. A place counts for the first step of that role and place which is still to come; a
/// place that no step names, or whose steps are over, holds nobody. A sync point that is reached on
/// a thread of no role, as a queue's, counts for the first step that names the point, whosever it
/// is.
///
/// `@unchecked Sendable`: everything that changes is only touched under `condition`.
final class ScriptControl: @unchecked Sendable {
  /// More passages than this are not kept.
  private static let mostPassages = 400

  private let steps: [Script.Step]
  private let condition = NSCondition()
  private var isClaimed: [Bool]
  /// Who waits for the turn of a step.
  private var held: [Int: Script.Step] = [:]
  /// The first step that nobody has passed.
  private var next = 0
  private var givenUp: String?
  private var passages: [ScriptRecord.Passage] = []

  /// Prepares the control of a script.
  init(_ script: Script) {
    steps = script.order
    isClaimed = [Bool](repeating: false, count: script.order.count)
  }

  /// Blocks the thread of a role that is about to begin until its first step is the next of all.
  func enter(role: String) {
    guard let first = steps.firstIndex(where: { $0.role == role }) else { return }
    condition.lock()
    defer { condition.unlock() }
    wait(until: first)
  }

  /// Says that the calling thread has come to a place; returns when it may go on.
  func reached(_ point: String, role: String?) {
    condition.lock()
    defer { condition.unlock() }
    let step = steps.indices.first { index in
      !isClaimed[index] && steps[index].point == point
        && (role == nil || steps[index].role == role)
    }
    guard let step else {
      if role != nil, !point.hasPrefix("call ") { note(role, "reaches \(point)") }
      return
    }
    isClaimed[step] = true
    held[step] = steps[step]
    defer { held[step] = nil }
    wait(until: step)
    if !point.hasPrefix("call ") { note(steps[step].role, "reaches \(point)") }
    guard givenUp == nil else { return }
    next = step + 1
    condition.broadcast()
    let following = steps[(step + 1)...].firstIndex { $0.role == steps[step].role }
    wait(until: following ?? steps.count)
  }

  /// Waits, under the condition, until a step is the next of all.
  private func wait(until step: Int) {
    while next < step && givenUp == nil { condition.wait() }
  }

  /// Notes something that a role did.
  func did(_ text: String, role: String) {
    condition.lock()
    defer { condition.unlock() }
    note(role, text)
  }

  /// Lets everybody go for good, unless every step has been passed.
  ///
  /// - Parameters:
  ///   - reason: What is to be said about the step that was not reached.
  ///   - first: Called before anybody is let go, if it comes to that.
  func giveUp(because reason: String, first: () -> Void = {}) {
    condition.lock()
    defer { condition.unlock() }
    guard next < steps.count, givenUp == nil else { return }
    first()
    let waiting = held.sorted { $0.key < $1.key }.map {
      "\($0.value.role) waited at \($0.value.point)"
    }
    givenUp =
      "step \(next + 1) of \(steps.count), \(steps[next].text), \(reason)"
      + (waiting.isEmpty ? "" : "; " + waiting.joined(separator: ", "))
    condition.broadcast()
  }

  /// Blocks until every step has been passed or the order was given up, at most until a date;
  /// returns whether that is so.
  func waitUntilOver(before date: Date) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while next < steps.count && givenUp == nil {
      if !condition.wait(until: date) { break }
    }
    return next >= steps.count || givenUp != nil
  }

  /// What has happened so far.
  var record: ScriptRecord {
    condition.lock()
    defer { condition.unlock() }
    return ScriptRecord(passages: passages, givenUp: givenUp)
  }

  private func note(_ role: String?, _ text: String) {
    guard passages.count < Self.mostPassages else { return }
    passages.append(ScriptRecord.Passage(role: role, text: text))
  }
}
