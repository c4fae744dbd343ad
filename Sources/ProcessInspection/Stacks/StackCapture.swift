package import CInterlockHarness
import Foundation

/// Makes the threads of a process write their stacks into shared memory, and reads them.
package struct StackCapture {
  /// The process: a child, or this one.
  private let process: pid_t
  /// The area to which the process's threads write, and the number of its slots.
  private let area: UnsafeMutablePointer<interlock_stack_area>
  private let capacity: UInt32

  /// Reads the area with `capacity` slots that was installed in `process`.
  package init(process: Int32, area: UnsafeMutablePointer<interlock_stack_area>, capacity: UInt32) {
    self.process = process
    self.area = area
    self.capacity = capacity
  }

  /// The raw stacks by thread, innermost first. A thread that does not answer in time has none.
  ///
  /// Blocks until all have answered, but at most `patience` seconds; on a busy machine, where a
  /// thread that is asked may get no processor, at most `longest` seconds.
  package func capture(
    _ threads: [Int], patience: Double, longest: Double = 0
  ) -> [Int: [UInt]] {
    interlock_stack_area_reset(area)
    var asked: Set<Int> = []
    for thread in threads.prefix(Int(capacity))
    where interlock_signal_thread(process, Int64(thread), SIGPROF) {
      asked.insert(thread)
    }
    var stacks: [Int: [UInt]] = [:]
    let start = Platform.now
    func isOver() -> Bool {
      let seconds = Platform.now - start
      guard seconds >= patience else { return false }
      return seconds >= longest
        || !asked.subtracting(stacks.keys).contains {
          Platform.willHandle(SIGPROF, $0, of: process)
        }
    }
    var isLast: Bool
    repeat {
      // Test the time before reading the slots: a thread that has handled the signal by now has
      // written its stack.
      isLast = isOver()
      for index in 0..<interlock_stack_area_used(area, capacity) {
        guard let slot = interlock_stack_area_slot(area, capacity, index) else {
          continue
        }
        // A late handler may belong to a thread that only an earlier capture asked.
        guard asked.contains(Int(slot.pointee.thread)) else { continue }
        let count = min(Int(slot.pointee.count), Int(INTERLOCK_STACK_FRAMES))
        guard let first = MemoryLayout<interlock_stack_slot>.offset(of: \.frames) else { continue }
        let frames = UnsafeRawPointer(slot) + first
        stacks[Int(slot.pointee.thread)] = (0..<count).map {
          frames.load(fromByteOffset: $0 * MemoryLayout<UInt>.stride, as: UInt.self)
        }
      }
      if stacks.count >= asked.count { break }
      usleep(500)
    } while !isLast
    return stacks
  }

  /// The threads with their stacks; a thread that does not answer in time has none.
  package func stacks(of threads: [Platform.Thread]) -> RawStacks {
    let stacks = capture(threads.map(\.id), patience: 0.25, longest: 5)
    return RawStacks(
      threads: threads.map { ($0.id, $0.name, $0.state.rawValue, stacks[$0.id] ?? []) },
      origins: origins(of: Set(stacks.values.joined())))
  }

  /// Finds where addresses of the process lie, and where this process has mapped the same file.
  package func origins(of addresses: Set<UInt>) -> [UInt: RawStacks.Origin] {
    Self.origins(of: addresses, in: process)
  }

  /// Finds where addresses of a process lie, and where this process has mapped the same file.
  package static func origins(
    of addresses: Set<UInt>, in process: Int32
  ) -> [UInt: RawStacks.Origin] {
    let theirs = Platform.mappings(of: process)
    let ours = Platform.mappings(of: getpid())
    var origins: [UInt: RawStacks.Origin] = [:]
    for address in addresses {
      guard let mapping = theirs.first(where: { $0.addresses.contains(address) }) else { continue }
      let offset = address - mapping.addresses.lowerBound + mapping.offset
      let own = ours.first {
        $0.path == mapping.path && offset >= $0.offset
          && offset - $0.offset < UInt($0.addresses.count)
      }
      // A mapping of no file, such as the kernel's own page, has no symbols, and a search for them
      // would list all images again each time.
      let isFile = mapping.path.hasPrefix("/")
      origins[address] = RawStacks.Origin(
        image: mapping.path.split(separator: "/").last.map(String.init) ?? mapping.path,
        ownAddress: !isFile ? nil : own.map { $0.addresses.lowerBound + (offset - $0.offset) })
    }
    return origins
  }
}
