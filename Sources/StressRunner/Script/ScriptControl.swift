import Foundation

/// Runs the roles of a script in its order, and records what they do.
///
/// A role with steps in the order waits before it begins, and at the point of each of its steps,
/// until its next step is the next one of all. After its last step it waits until every step has
/// been reached.
///
/// Thread-safe. A reached point counts for the first remaining step of that role and point. A point
/// without a remaining step does not block. If a thread without a role, such as a queue's, reaches
/// a sync point, it counts for the first remaining step of any role with that point.
///
/// `@unchecked Sendable`: all mutable state is accessed only under `condition`.
final class ScriptControl: @unchecked Sendable {
  /// The most events that are kept.
  private static let mostPassages = 400

  private let steps: [Script.Step]
  private let condition = NSCondition()
  private var isClaimed: [Bool]
  /// The steps whose threads wait for their turn.
  private var held: [Int: Script.Step] = [:]
  /// The index of the first step that has not been passed.
  private var next = 0
  private var givenUp: String?
  private var passages: [ScriptRecord.Passage] = []

  /// Creates the control of a script.
  init(_ script: Script) {
    steps = script.order
    isClaimed = [Bool](repeating: false, count: script.order.count)
  }

  /// Blocks a role's thread until the role's first step is the next one of all.
  func enter(role: String) {
    guard let first = steps.firstIndex(where: { $0.role == role }) else { return }
    condition.lock()
    defer { condition.unlock() }
    wait(until: first)
  }

  /// Reports that the calling thread has reached a point. Returns when the thread may continue.
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

  /// Waits, with the condition locked, until a step is the next one of all.
  private func wait(until step: Int) {
    while next < step && givenUp == nil { condition.wait() }
  }

  /// Records an event of a role.
  func did(_ text: String, role: String) {
    condition.lock()
    defer { condition.unlock() }
    note(role, text)
  }

  /// Lets all roles run freely from now on, unless every step has been passed.
  ///
  /// - Parameters:
  ///   - reason: Why the next step was not reached.
  ///   - first: Called before any thread is released, if the order is given up.
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

  /// Blocks until every step has been passed or the order was given up, at most until `date`.
  /// Returns true if one of these has happened.
  func waitUntilOver(before date: Date) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while next < steps.count && givenUp == nil {
      if !condition.wait(until: date) { break }
    }
    return next >= steps.count || givenUp != nil
  }

  /// The events up to now.
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
