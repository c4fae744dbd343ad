package import Interlock

/// The threads of a process and their stacks as addresses. Symbolicating them takes up to a second
/// on a busy machine, and no longer needs the process.
package struct RawStacks: Sendable {
  /// Symbolicates addresses of this process: several frames for an address with inlined functions,
  /// none for an unknown address.
  package typealias Symbolicate = @Sendable ([UInt]) -> [StackFrame]

  /// The location of an address of the inspected process.
  package struct Origin: Sendable {
    /// The file name of the binary image.
    package var image: String
    /// The same place of that image in this process, if the image is loaded here.
    package var ownAddress: UInt?
  }

  /// Number, name, state and stack of each thread.
  package var threads: [(id: Int, name: String, state: String, stack: [UInt])]
  /// The locations of the addresses in the stacks, as far as they are known.
  package var origins: [UInt: Origin]

  /// Describes threads by their addresses.
  package init(
    threads: [(id: Int, name: String, state: String, stack: [UInt])], origins: [UInt: Origin]
  ) {
    self.threads = threads
    self.origins = origins
  }

  /// The stacks by the threads' numbers.
  package var byThread: [Int: [UInt]] {
    Dictionary(threads.map { ($0.id, $0.stack) }, uniquingKeysWith: { first, _ in first })
  }

  /// The threads in groups of equal stacks and states, the largest group first.
  ///
  /// - Parameter frames: The result of `named`.
  /// - Returns: The groups; a frame without a name has only its address.
  package func groups(named frames: [UInt: [StackFrame]]) -> [ThreadGroup] {
    struct Key: Hashable {
      var state: String
      var stack: [UInt]
      /// Empty for a thread with a stack: only threads without a stack are grouped by name.
      var name: String
    }
    var groups: [Key: ThreadGroup] = [:]
    var order: [Key] = []
    for (_, name, state, stack) in threads {
      let key = Key(state: state, stack: stack, name: stack.isEmpty ? name : "")
      if groups[key] == nil {
        order.append(key)
        groups[key] = ThreadGroup(
          count: 0, name: name, state: state,
          stack: stack.flatMap { frames[$0] ?? [StackFrame(address: $0)] })
      }
      groups[key]?.count += 1
    }
    // Sort by position too, so that groups of one size stay in the order of the threads.
    return order.compactMap { groups[$0] }.enumerated()
      .sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }.map(\.element)
  }

  /// The frames of every address whose image is known.
  package func named(symbolicate: Symbolicate) -> [UInt: [StackFrame]] {
    var frames: [UInt: [StackFrame]] = [:]
    var child: [UInt: UInt] = [:]
    for (address, origin) in origins {
      frames[address] = [StackFrame(address: address, image: origin.image)]
      if let own = origin.ownAddress { child[own] = address }
    }
    let found = MappedFiles.keep { symbolicate(Array(child.keys)) }
    for (own, symbols) in Dictionary(grouping: found, by: \.address) {
      guard let address = child[own] else { continue }
      frames[address] = symbols.map { symbol in
        var frame = symbol
        frame.address = address
        frame.image = frame.image ?? origins[address]?.image
        return frame
      }
    }
    return frames
  }
}
