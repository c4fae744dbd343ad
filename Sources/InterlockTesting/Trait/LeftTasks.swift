import Findings
import Foundation
import HangReports
import Hangs
import Interlock
import InterlockWatchdog
import Testing

/// The tasks, threads and objects that outlive a test.
final class LeftTasks: Sendable {
  private let leaks: InterlockTrait.Leaks
  private let scope: TestScope
  private let lostBefore = LiveTasks.lost
  /// The locks that the test's thread held before the test.
  private let heldBefore: Set<LiveTasks.HeldLock>

  /// Follows the tasks of a scope from now on; `nil` if leaks are ignored or cannot be followed.
  init?(of scope: TestScope, _ leaks: InterlockTrait.Leaks) {
    guard leaks.action != .none, Self.isFollowing else { return nil }
    self.leaks = leaks
    self.scope = scope
    heldBefore = Set(LiveTasks.ownLocks)
    LiveTasks.enter(UInt64(scope.number))
    Self.open.withLock { _ = $0.insert(scope.number) }
  }

  /// Waits for the tasks of the scope, then records an issue for each place that left tasks or
  /// objects behind.
  ///
  /// Call it on the task and thread that ran the test: the locks that this thread holds are the
  /// test's.
  func end() async {
    let held = takeHeld()
    await TaskGrace.wait(atMost: leaks.grace / .seconds(1)) { [self] in areOver }
    report(held)
  }

  /// Like `end`, on a thread that may block.
  func endBlocking() {
    let held = takeHeld()
    TaskGrace.waitBlocking(atMost: leaks.grace / .seconds(1)) { [self] in areOver }
    report(held)
  }

  /// The locks that the test's own thread acquired and still holds.
  private func takeHeld() -> [LiveTasks.HeldLock] {
    LiveTasks.leave(number)
    return LiveTasks.ownLocks.filter { !heldBefore.contains($0) }
  }

  private var number: UInt64 { UInt64(scope.number) }

  /// True if no task or object is left, apart from locks and allowed ones. Without an allow list no
  /// symbol is needed.
  private var areOver: Bool {
    LiveTasks.count(in: number) == 0
      || (!leaks.allowed.isEmpty && notAllowed(LiveTasks.tasks(in: number)).isEmpty)
  }

  private func notAllowed(_ tasks: [LiveTask]) -> [LiveTask] {
    tasks.filter { task in !leaks.allowed.contains { task.is(at: $0) } }
  }

  private func report(_ held: [LiveTasks.HeldLock]) {
    Self.open.withLock { _ = $0.remove(scope.number) }
    let tasks = LiveTasks.count(in: number) > 0 ? LiveTasks.tasks(in: number) : []
    let left = notAllowed(tasks + LiveTasks.leftLocks(in: number, and: held))
    LiveTasks.forget(number)
    let verdict = (one: "has outlived its test", several: "have outlived their test")
    for text in LiveTaskText.texts(of: left, verdict: verdict) { record(text) }
    if LiveTasks.lost > lostBefore {
      Self.note("what outlives its test is not all known: there were too many at a time")
    }
  }

  private func record(_ text: LiveTaskText) {
    var finding = Finding(
      .outlivesTest, level: leaks.action == .failure ? .error : .warning, message: text.line)
    finding.details = text.details
    if let place = text.place {
      finding.sides = [
        Finding.Side(title: Self.title(of: text.kind), place: place, stack: text.frames)
      ]
    }
    if let test = Test.current {
      finding.origin = Finding.Origin(group: test.sourceLocation.moduleName, name: test.name)
    }
    let lines = [text.line] + text.details.map { "  " + $0 }
    recordIssue(
      lines.joined(separator: "\n"),
      at: SourceLocation(of: text.place, in: scope.location.moduleName) ?? scope.location,
      knownBecause: noteForReports(finding), isWarning: leaks.action == .warning)
  }

  private static func title(of kind: LiveTask.Kind) -> String {
    switch kind {
    case .task: "the task is made"
    case .thread: "the thread is made"
    case .queue: "the queue is made"
    case .source: "the source is made"
    case .timer: "the timer is made"
    case .delayedBlock: "the block is queued"
    case .lock: "the lock is acquired"
    }
  }

  // MARK: All tests

  /// The open scopes whose tasks are followed.
  private static let open = Locked<Set<UInt>>([])
  private static let notes = Locked<Set<String>>([])

  /// True if tasks can be followed. Otherwise prints one line that says why.
  private static let isFollowing: Bool = {
    let reason = LiveTasks.follow(scope: {
      let number = TestScope.outermost(of: InheritedScopes.ofCaller)
      // A task created after the end of its test belongs to no scope.
      return number != 0 && LeftTasks.open.withLock { $0.contains(number) } ? UInt64(number) : 0
    })
    if let reason { note("what outlives its test is not known: \(reason)") }
    return reason == nil
  }()

  /// Prints a line about the process, once.
  private static func note(_ line: String) {
    if notes.withLock({ $0.insert(line).inserted }) { print("interlock: \(line)") }
  }
}

extension LiveTask {
  /// True if the task is created or waits in a file or function of this name: `Feed.swift`,
  /// `start()`, `Feed.start`, `Feed.start(at:)`.
  func `is`(at name: String) -> Bool {
    (maker + wait.place).contains { frame in
      if frame.file?.split(separator: "/").last.map(String.init) == name { return true }
      guard let function = frame.function else { return false }
      let own = CallSite.Function(frame).name
      return [function, own].contains { Self.names(of: $0).contains(name) }
    }
  }

  /// All names of a function: for `Feed.start(at:)`, also `Feed.start`, `start(at:)` and `start`.
  private static func names(of function: String) -> Set<String> {
    let path = function.prefix { $0 != "(" }
    let parameters = function.dropFirst(path.count)
    let last = path.split(separator: ".").last ?? path
    return [function, String(path), String(last + parameters), String(last)]
  }
}

extension SourceLocation {
  /// The location of a frame in user code; `nil` if the frame has no line.
  init?(of frame: StackFrame?, in module: String) {
    guard let file = frame?.file, let line = frame?.line, line > 0,
      let name = file.split(separator: "/").last
    else { return nil }
    self.init(fileID: "\(module)/\(name)", filePath: file, line: line, column: 1)
  }
}
