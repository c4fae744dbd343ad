package import Interlock
import ProcessInspection

extension WaitSnapshot {
  /// The addresses of all frames, for symbolication.
  package var addresses: Set<UInt> {
    var addresses: Set<UInt> = []
    _ = replacingFrames { frames in
      for frame in frames { addresses.insert(frame.address) }
      return frames
    }
    return addresses
  }

  /// The snapshot with every frame replaced by the symbols of its address.
  ///
  /// - Parameter names: The frames at an address, innermost first. There is more than one if
  ///   functions were inlined there.
  /// - Returns: A snapshot in which frames of other addresses are unchanged. If a wait's place
  ///   has only code of the compiler or of a library, the first user frame on the thread's stack
  ///   replaces it.
  package func named(_ names: [UInt: [StackFrame]]) -> WaitSnapshot {
    var result = replacingFrames { frames in
      frames.flatMap { frame in
        guard let known = names[frame.address], !known.isEmpty else { return [frame] }
        return known
      }
    }
    for number in result.threads.indices {
      let thread = result.threads[number]
      // A place may be in functions that wrap a lock; extend it by their callers. `&+=`: another
      // process may have sent any number of callers.
      let place = thread.wait?.place ?? []
      let waits = CallersOnStack.ofCurrentCall(place, in: thread.stack)
      result.threads[number].wait?.place = waits
      result.threads[number].wait?.callers &+= waits.count - place.count
      let held = CallersOnStack.ofHeldLocks(
        thread.held.map(\.place), besides: place, in: thread.stack)
      for index in held.indices {
        result.threads[number].held[index].place = held[index]
        result.threads[number].held[index].callers &+=
          held[index].count - thread.held[index].place.count
      }
      guard let wait = thread.wait, wait.place.allSatisfy(\.isSystem),
        let user = thread.stack.first(where: { !$0.isSystem && $0.function != nil })
      else { continue }
      result.threads[number].wait?.place = [user]
      result.threads[number].wait?.callers = 0
    }
    return result
  }

  private func replacingFrames(_ change: ([StackFrame]) -> [StackFrame]) -> WaitSnapshot {
    var copy = self
    for number in copy.threads.indices {
      Self.replaceFrames(of: &copy.threads[number], change)
    }
    for queue in copy.queues.indices {
      for block in copy.queues[queue].blocks.indices {
        copy.queues[queue].blocks[block].place = change(copy.queues[queue].blocks[block].place)
      }
    }
    for number in copy.signals.indices {
      copy.signals[number].created = change(copy.signals[number].created)
      copy.signals[number].releasePlaces = change(copy.signals[number].releasePlaces)
      copy.signals[number].enterPlaces = change(copy.signals[number].enterPlaces)
    }
    for number in copy.leftLocks.indices {
      copy.leftLocks[number].place = change(copy.leftLocks[number].place)
    }
    copy.taskMakers = taskMakers.mapValues(change)
    for number in copy.awaits.indices {
      copy.awaits[number].place = change(copy.awaits[number].place)
    }
    if let own = copy.selfWait {
      copy.selfWait?.place = change(own.place)
      copy.selfWait?.firstPlace = change(own.firstPlace)
    }
    return copy
  }

  private static func replaceFrames(
    of thread: inout Thread, _ change: ([StackFrame]) -> [StackFrame]
  ) {
    if let wait = thread.wait { thread.wait?.place = change(wait.place) }
    for number in thread.held.indices {
      thread.held[number].place = change(thread.held[number].place)
    }
    for number in thread.runs.indices {
      thread.runs[number].place = change(thread.runs[number].place)
    }
    thread.stack = change(thread.stack)
  }
}
