import Dispatch
import Explorer
import Testing

/// Executes the body once; returns false if it throws.
func attempt(_ body: () throws -> Void) -> Bool {
  do {
    try body()
    return true
  } catch {
    Exploration.fail("the body threw: \(error)")
    return false
  }
}

/// Executes an asynchronous body once, as a task that the calling thread waits for.
func attempt(_ body: @escaping @Sendable () async throws -> Void) -> Bool {
  let isDone = DispatchSemaphore(value: 0)
  Task {
    do {
      try await body()
    } catch {
      Exploration.fail("the body threw: \(error)")
    }
    isDone.signal()
  }
  isDone.wait()
  return true
}

/// Runs a thread of an explored body. The first issue that the thread records fails the order and
/// ends it, before the issue reaches the test's output.
///
/// The matcher of a known issue receives each issue of the thread and of the tasks it creates.
let watchIssues: Surroundings = { work in
  withKnownIssue("in an explored order", isIntermittent: true) {
    work()
  } matching: { issue in
    guard Exploration.isExplored, issue.severity >= .error else { return false }
    let place = issue.sourceLocation.map { "\($0.fileName):\($0.line)" } ?? ""
    Exploration.end(text(of: issue), at: place)
    return false
  }
}

/// The text of an issue without its severity, which is always that of an error.
private func text(of issue: Issue) -> String {
  let text = "\(issue)"
  return text.hasSuffix(" (error)") ? String(text.dropLast(" (error)".count)) : text
}
