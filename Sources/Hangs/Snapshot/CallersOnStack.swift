package import Interlock

/// Finds, on a thread's stack, the callers of the functions that acquired the thread's locks or
/// that wait.
///
/// An event keeps only two frames. Both may be in functions of a class that wraps a lock.
package enum CallersOnStack {
  private static let most = 12

  /// The place of a thread's current call, innermost frame first, extended by the frames that
  /// called it.
  package static func ofCurrentCall(
    _ place: [StackFrame], in stack: [StackFrame]
  ) -> [StackFrame] {
    index(of: place, in: stack).map { place + stack[($0 + 1)...].prefix(most) } ?? place
  }

  /// The places at which a thread acquired its locks, each extended by the frames that called it.
  ///
  /// A function that runs a closure under its lock is still on the stack, at another address. A
  /// place stays unchanged unless each such frame belongs to one of the locks.
  ///
  /// - Parameters:
  ///   - places: The places that acquired the locks, in the order of acquisition.
  ///   - current: The place of the thread's current call, whose frames hold no lock yet.
  ///   - stack: The thread's stack, innermost frame first.
  /// - Returns: The places in the same order.
  package static func ofHeldLocks(
    _ places: [[StackFrame]], besides current: [StackFrame], in stack: [StackFrame]
  ) -> [[StackFrame]] {
    let first = index(of: current, in: stack).map { $0 + 1 } ?? 0
    var result = places
    for (function, held) in Dictionary(grouping: places.indices, by: { Function(places[$0].last) })
    {
      guard let function else { continue }
      let frames = stack.indices.dropFirst(first).filter { Function(stack[$0]) == function }
      guard frames.count == held.count else { continue }
      for (index, frame) in zip(held, frames.reversed()) {
        result[index] += stack[(frame + 1)...].prefix(most)
      }
    }
    return result
  }

  /// The place of the current call, or of a held lock, extended by its callers.
  package static func of(_ place: [StackFrame], in stack: [StackFrame]) -> [StackFrame] {
    index(of: place, in: stack) == nil
      ? ofHeldLocks([place], besides: [], in: stack)[0] : ofCurrentCall(place, in: stack)
  }

  /// The index in the stack of a place's last frame. Inlined functions are frames with the same
  /// address.
  private static func index(of place: [StackFrame], in stack: [StackFrame]) -> Int? {
    guard let address = place.last?.address,
      let first = stack.firstIndex(where: { $0.address == address })
    else { return nil }
    return stack[first...].prefix { $0.address == address }.indices.last
  }

  private struct Function: Hashable {
    var name: String
    var file: String?

    /// Returns `nil` if the function's name is unknown.
    init?(_ frame: StackFrame?) {
      guard let frame, let name = frame.function else { return nil }
      (self.name, file) = (name, frame.file)
    }
  }
}
