import CInterlock
import Foundation
import Interlock

/// Makes a child's threads write down their stacks, and reads them.
struct StackCapture {
  /// Names addresses of this process: several frames for one where functions were inlined, none where
  /// nothing is known.
  typealias Symbolicate = @Sendable ([UInt]) -> [StackFrame]

  let process: pid_t
  let table: ProgressTable

  /// The raw stacks by thread, innermost first. A thread that does not answer in time has none.
  ///
  /// Blocks until all have answered, but at most `patience` seconds.
  func capture(_ threads: [Int], patience: Double) -> [Int: [UInt]] {
    interlock_stack_area_reset(table.stacks, table.stackCapacity)
    var asked: Set<Int> = []
    for thread in threads.prefix(Int(table.stackCapacity))
    where interlock_signal_thread(process, Int64(thread), SIGPROF) {
      asked.insert(thread)
    }
    var stacks: [Int: [UInt]] = [:]
    let end = Platform.now + patience
    repeat {
      for index in 0..<UInt32(asked.count) {
        guard let slot = interlock_stack_area_slot(table.stacks, table.stackCapacity, index) else {
          continue
        }
        let count = min(Int(slot.pointee.count), Int(INTERLOCK_STACK_FRAMES))
        guard let first = MemoryLayout<interlock_stack_slot>.offset(of: \.frames) else { continue }
        let frames = UnsafeRawPointer(slot) + first
        stacks[Int(slot.pointee.thread)] = (0..<count).map {
          frames.load(fromByteOffset: $0 * MemoryLayout<UInt>.stride, as: UInt.self)
        }
      }
      if stacks.count >= asked.count { break }
      usleep(500)
    } while Platform.now < end
    return stacks
  }

  /// The child's threads with their stacks, those with equal stacks and states folded into one, the
  /// most frequent first.
  func groups(of threads: [Platform.Thread], symbolicate: Symbolicate)
    -> [Observation.ThreadGroup]
  {
    let stacks = capture(threads.map(\.id), patience: 0.25)
    let frames = named(Set(stacks.values.joined()), symbolicate: symbolicate)
    struct Key: Hashable {
      var state: String
      var stack: [UInt]
      /// Threads without a stack are told apart by name.
      var name: String
    }
    var groups: [Key: Observation.ThreadGroup] = [:]
    var order: [Key] = []
    for thread in threads {
      let stack = stacks[thread.id] ?? []
      let key = Key(
        state: thread.state.rawValue, stack: stack, name: stack.isEmpty ? thread.name : "")
      if groups[key] == nil {
        order.append(key)
        groups[key] = Observation.ThreadGroup(
          count: 0, name: thread.name, state: key.state,
          stack: stack.flatMap { frames[$0] ?? [StackFrame(address: $0)] })
      }
      groups[key]?.count += 1
    }
    // Stable, so that equal counts stay in the order of the threads' numbers.
    return order.compactMap { groups[$0] }.enumerated()
      .sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }.map(\.element)
  }

  /// Names addresses of the child: each is looked up where the same file is mapped in this process.
  func named(_ addresses: Set<UInt>, symbolicate: Symbolicate) -> [UInt: [StackFrame]] {
    let theirs = Platform.mappings(of: process)
    let ours = Platform.mappings(of: getpid())
    var frames: [UInt: [StackFrame]] = [:]
    var here: [UInt: (address: UInt, image: String)] = [:]
    for address in addresses {
      guard let mapping = theirs.first(where: { $0.addresses.contains(address) }) else {
        frames[address] = [StackFrame(address: address)]
        continue
      }
      let image = mapping.path.split(separator: "/").last.map(String.init) ?? mapping.path
      frames[address] = [StackFrame(address: address, image: image)]
      let offset = address - mapping.addresses.lowerBound + mapping.offset
      if let own = ours.first(where: {
        $0.path == mapping.path && offset >= $0.offset
          && offset - $0.offset < UInt($0.addresses.count)
      }) {
        here[own.addresses.lowerBound + (offset - own.offset)] = (address, image)
      }
    }
    for (own, symbols) in Dictionary(grouping: symbolicate(Array(here.keys)), by: \.address) {
      guard let there = here[own] else { continue }
      frames[there.address] = symbols.map { symbol in
        var frame = symbol
        frame.address = there.address
        frame.image = frame.image ?? there.image
        return frame
      }
    }
    return frames
  }
}
