package import Interlock

/// Finds the callers of the functions that acquired a thread's locks, or wait, on its stack.
///
/// An event keeps two frames, which may both be in functions of a class that wraps a lock.
package enum CallersOnStack {
  private static let most = 12

  /// The place of a call that a thread is in, innermost frame first, with the frames that called
  /// it.
  package static func ofCurrentCall(
    _ place: [StackFrame], in stack: [StackFrame]
  ) -> [StackFrame] {
    index(of: place, in: stack).map { place + stack[($0 + 1)...].prefix(most) } ?? place
  }

  /// The places of the locks that a thread holds, each with the frames that called it.
  ///
  /// A function that runs a closure under its lock is still on the stack, at another address. The
  /// place stays as it is unless each such frame belongs to one of the locks.
  ///
  /// - Parameters:
  ///   - places: The places that acquired the locks, in the order of acquisition.
  ///   - current: The place of the call that the thread is in, whose frames hold no lock yet.
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

  /// The place of the current call, or of a lock that the thread holds, with its callers.
  package static func of(_ place: [StackFrame], in stack: [StackFrame]) -> [StackFrame] {
    index(of: place, in: stack) == nil
      ? ofHeldLocks([place], besides: [], in: stack)[0] : ofCurrentCall(place, in: stack)
  }

  /// The index of a place's last frame. Inlined functions are frames of one address.
  private static func index(of place: [StackFrame], in stack: [StackFrame]) -> Int? {
    guard let address = place.last?.address,
      let first = stack.firstIndex(where: { $0.address == address })
    else { return nil }
    return stack[first...].prefix { $0.address == address }.indices.last
  }

  private struct Function: Hashable {
    var name: String
    var file: String?

    /// `nil` if the name is not known.
    init?(_ frame: StackFrame?) {
      guard let frame, let name = frame.function else { return nil }
      (self.name, file) = (name, frame.file)
    }
  }
}
