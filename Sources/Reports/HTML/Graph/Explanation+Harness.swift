import HangReports
import Interlock
import ProcessInspection
import Hangs

extension StackFrame {
  /// True if the frame belongs to the harness: the runner, or a library that calls a subject for
  /// the runner.
  var isHarness: Bool { ownPart == .runner || ownPart == .harness }

  /// True if the frame is known to be user code.
  fileprivate var isUsers: Bool {
    file != nil && (line ?? 0) > 0 && !isSystem && !isHarness
  }
}

extension Explanation {
  /// The diagnosis without the harness's threads, objects that only these threads wait for, outer
  /// frames that call user code, and system threads that wait for no object of the graph. Parts of
  /// the cause always stay.
  var withoutHarness: Explanation {
    let linked = Set(edges.flatMap { [$0.from, $0.to] })
    var gone = Set(
      nodes.filter {
        !$0.isMarked && ($0.isHarness || !linked.contains($0.id) && $0.isSystemThread)
      }.map(\.id))
    var isSettled = gone.isEmpty
    while !isSettled {
      isSettled = true
      for node in nodes where !node.isMarked && node.kind != .thread && !gone.contains(node.id) {
        let neighbors = edges.compactMap { edge in
          edge.from == node.id ? edge.to : edge.to == node.id ? edge.from : nil
        }
        if !neighbors.isEmpty, neighbors.allSatisfy(gone.contains) {
          gone.insert(node.id)
          isSettled = false
        }
      }
    }
    var result = self
    result.nodes = nodes.filter { !gone.contains($0.id) }
    result.edges = edges.filter { !gone.contains($0.from) && !gone.contains($0.to) }
    for index in result.nodes.indices {
      result.nodes[index].stack = Node.usersPart(of: result.nodes[index].stack)
      if result.nodes[index].place?.isHarness ?? false { result.nodes[index].place = nil }
    }
    return result
  }
}

extension Explanation.Node {
  /// True if the thread runs only code of the harness and the system.
  ///
  /// A frame of unknown origin called by the harness belongs to a subject that was compiled without
  /// line numbers. The user's `main` may call the harness.
  fileprivate var isHarness: Bool {
    guard kind == .thread else { return false }
    // A call that traps at once has no stacks: only the call site of each wait is known.
    if stack.isEmpty { return place?.isHarness ?? false }
    guard let first = stack.firstIndex(where: \.isHarness),
      let last = stack.lastIndex(where: \.isHarness)
    else { return false }
    return !stack[first..<last].contains(where: \.isUsers)
      && stack[..<first].allSatisfy(\.isSystem)
  }

  /// True for a system thread that runs no other code, such as the thread on which Dispatch listens
  /// for events.
  fileprivate var isSystemThread: Bool {
    kind == .thread && place == nil
      && (stack.isEmpty ? elsewhere == .listening && count == 1 : stack.allSatisfy(\.isSystem))
  }

  /// A stack without the harness's frames: the outermost ones, and those that forward calls.
  fileprivate static func usersPart(of stack: [StackFrame]) -> [StackFrame] {
    var end = stack.count
    if let first = stack.firstIndex(where: \.isHarness) {
      end = max(first, stack.lastIndex(where: \.isUsers).map { $0 + 1 } ?? 0)
    }
    return (end == 0 ? stack[...] : stack[..<end]).filter {
      $0.ownPart != .interposition && $0.ownPart != .inspection
    }
  }
}
