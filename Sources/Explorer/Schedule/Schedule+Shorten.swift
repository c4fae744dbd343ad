extension Schedule {
  /// Leaves out half of the longest list: blocked threads, or steps in the middle.
  ///
  /// - Returns: False if there is nothing that could be left out.
  package mutating func shorten() -> Bool {
    let longest = max(steps.count, blocked.count, leftOut?.lastOfTasks.count ?? 0)
    guard longest > 1 else { return false }
    keep(most: longest / 2)
    return true
  }

  /// Keeps the first blocked threads, and the same number of steps from both ends.
  private mutating func keep(most: Int) {
    if blocked.count > most {
      blockedLeftOut = (blockedLeftOut ?? 0) + blocked.count - most
      blocked.removeLast(blocked.count - most)
    }
    if steps.count > most { leaveOutMiddle(most: most) }
    if let ends = leftOut?.lastOfTasks, ends.count > most {
      leftOut?.lastOfTasks = Array(ends.prefix(most))
    }
  }

  private mutating func leaveOutMiddle(most: Int) {
    let border = leftOut?.after ?? steps.count / 2
    let first = steps[..<min(border, most / 2)]
    let last = steps[max(border, steps.count - most / 2)...]
    // The last steps of tasks are shown only if threads are blocked.
    let ends =
      blocked.isEmpty
      ? []
      : Self.lastOfTasks(
        steps[first.endIndex..<border] + (leftOut?.lastOfTasks ?? [])
          + steps[border..<last.startIndex], between: first, and: last)
    leftOut = LeftOut(
      after: first.count, count: stepCount - first.count - last.count, lastOfTasks: ends)
    steps = Array(first + last)
  }

  /// The last step of each task that makes no step later, without tasks that both begin and end
  /// among the steps.
  private static func lastOfTasks(
    _ steps: ArraySlice<Step>, between earlier: ArraySlice<Step>, and later: ArraySlice<Step>
  ) -> [Step] {
    let begun = Set(earlier.compactMap(\.task))
    var seen = Set(later.compactMap(\.task))
    return steps.reversed().filter { step in
      guard let task = step.task, seen.insert(task).inserted else { return false }
      return step.operation != "end task" || begun.contains(task)
    }.reversed()
  }
}
