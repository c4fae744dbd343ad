import CInterlockHarness
import Foundation
import ProcessInspection
import Synchronization

/// The memory that a child shares with its parent: the trial, the progress, and captured stacks.
///
/// It is an unlinked file: a page of header, a page of totals, the trial as JSON, two counters per
/// caller, and slots for stacks. The system fills it with zeros, and allocates only pages that are
/// accessed.
struct ProgressTable: @unchecked Sendable {
  // Unchecked: fields that change while both processes use them are atomics, and all others are
  // written before the child starts.

  /// The stages of a child.
  enum Stage: UInt64 {
    /// The child is starting; a stall does not count yet.
    case starting = 0
    /// The workload runs.
    case running = 1
    /// The workload has ended and the oracles have been checked.
    case finished = 2
    /// The workload has ended with a conflict, which is being reported.
    case reporting = 3
  }

  /// The number of words over which totals are spread. With a single word, all callers would
  /// contend for one cache line.
  private static let stripes = 64
  private static let headerBytes = 4096
  private static let totalsBytes = stripes * 64
  /// The most threads whose stacks are kept.
  private static let stackSlots = 2048

  private let base: UnsafeMutableRawPointer
  private let bytes: Int
  private let trialBytes: Int
  private let callers: Int

  /// Creates the memory for a trial. The caller owns the descriptor; the table owns the mapping.
  static func make(for trial: Trial, mark: ChildMark?) -> (table: ProgressTable, descriptor: Int32)?
  {
    guard let json = try? JSONEncoder().encode(trial) else { return nil }
    let callers = trial.scenario.workload.phases.reduce(0) { $0 + $1.callers }
    let bytes = size(trialBytes: json.count, callers: callers)
    guard let descriptor = Platform.makeSharedFile(bytes: bytes) else { return nil }
    guard let base = map(descriptor, bytes: bytes) else {
      close(descriptor)
      return nil
    }
    base.storeBytes(of: UInt64(json.count), toByteOffset: 8, as: UInt64.self)
    base.storeBytes(of: UInt64(callers), toByteOffset: 16, as: UInt64.self)
    base.storeBytes(of: Int64(getpid()), toByteOffset: 32, as: Int64.self)
    base.storeBytes(of: mark?.value ?? 0, toByteOffset: 40, as: UInt64.self)
    json.withUnsafeBytes {
      (base + headerBytes + totalsBytes).copyMemory(
        from: $0.baseAddress ?? UnsafeRawPointer(base), byteCount: $0.count)
    }
    let table = ProgressTable(
      base: base, bytes: bytes, trialBytes: json.count, callers: callers)
    table.stacks.pointee.capacity = UInt32(stackSlots)
    return (table, descriptor)
  }

  /// Maps the memory that the parent created; `nil` if its content is invalid.
  static func open(_ descriptor: Int32) -> ProgressTable? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size >= headerBytes else { return nil }
    let bytes = Int(status.st_size)
    guard let base = map(descriptor, bytes: bytes) else { return nil }
    let trialBytes = base.load(fromByteOffset: 8, as: UInt64.self)
    let callers = base.load(fromByteOffset: 16, as: UInt64.self)
    guard trialBytes < bytes, callers < bytes,
      size(trialBytes: Int(trialBytes), callers: Int(callers)) == bytes
    else {
      munmap(base, bytes)
      return nil
    }
    return ProgressTable(
      base: base, bytes: bytes, trialBytes: Int(trialBytes), callers: Int(callers))
  }

  /// Unmaps the memory. The table must not be used afterwards.
  func unmap() { MappedFiles.unmap(base, bytes: bytes) }

  /// The trial.
  var trial: Trial? {
    let json = Data(bytes: base + Self.headerBytes + Self.totalsBytes, count: trialBytes)
    return try? JSONDecoder().decode(Trial.self, from: json)
  }

  /// The process that created the table.
  var parent: pid_t { pid_t(truncatingIfNeeded: base.load(fromByteOffset: 32, as: Int64.self)) }

  /// The mark for the child to set on itself.
  var mark: ChildMark? { ChildMark(value: base.load(fromByteOffset: 40, as: UInt64.self)) }

  /// The child's stage.
  var stage: Stage {
    // Acquire and release: a reader of a stage sees the ignored threads written before that stage.
    get { Stage(rawValue: word(24).pointee.load(ordering: .acquiring)) ?? .starting }
    nonmutating set { word(24).pointee.store(newValue.rawValue, ordering: .releasing) }
  }

  /// The child's threads that existed before the subject, such as a sanitizer's.
  var ignoredThreads: Set<Int> {
    get {
      Set(
        (0..<8).compactMap { index in
          // Drop invalid thread ids: the child can write to this memory.
          let id = base.load(fromByteOffset: 64 + index * 8, as: UInt64.self)
          return id == 0 || id > UInt64(Int32.max) ? nil : Int(id)
        })
    }
    nonmutating set {
      for (index, id) in newValue.prefix(8).enumerated() {
        base.storeBytes(of: UInt64(id), toByteOffset: 64 + index * 8, as: UInt64.self)
      }
    }
  }

  /// The area where stacks are captured.
  var stacks: UnsafeMutablePointer<interlock_stack_area> {
    (base + Self.stackOffset(trialBytes: trialBytes, callers: callers)).assumingMemoryBound(
      to: interlock_stack_area.self)
  }

  /// The number of stacks that the area has room for.
  var stackCapacity: UInt32 { UInt32(Self.stackSlots) }

  /// The number of completed calls; at most `operations`, whatever a child has written.
  func completed(of operations: Int) -> Int {
    let most = UInt64(max(0, operations))
    let total = (0..<Self.stripes).reduce(UInt64(0)) { total, stripe in
      // Relaxed: a stale count does no harm.
      min(most, total + min(most, stripeWord(stripe).pointee.load(ordering: .relaxed)))
    }
    return Int(total)
  }

  /// The callers that are inside a call, and the callers that have not begun, in the phases reached
  /// so far.
  func callers(in workload: Workload) -> (inside: Int, waiting: Int) {
    var inside = 0
    var waiting = 0
    var first = 0
    for (index, phase) in workload.phases.enumerated() {
      let numbers = first..<min(first + phase.callers, callers)
      first = numbers.upperBound
      var begun = 0
      for caller in numbers {
        let begins = callerWord(caller, 0).pointee.load(ordering: .relaxed)
        if begins > 0 { begun += 1 }
        if begins > callerWord(caller, 1).pointee.load(ordering: .relaxed) { inside += 1 }
      }
      if begun == 0 && index > 0 { break }
      waiting += numbers.count - begun
    }
    return (inside, waiting)
  }

  // `Atomic` over mapped memory is sound: it has the layout of its value, zeroed memory is the
  // value 0, the address is aligned, and a lock-free 64-bit atomic works between processes as
  // between threads.
  private func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  private func stripeWord(_ stripe: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    word(Self.headerBytes + stripe * 64)
  }

  /// The number of calls that a caller has begun (index 0) or completed (index 1).
  private func callerWord(_ caller: Int, _ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    word(Self.callerOffset(trialBytes: trialBytes) + caller * 16 + index * 8)
  }

  private static func callerOffset(trialBytes: Int) -> Int {
    (headerBytes + totalsBytes + trialBytes + 63) / 64 * 64
  }

  private static func stackOffset(trialBytes: Int, callers: Int) -> Int {
    (callerOffset(trialBytes: trialBytes) + callers * 16 + 63) / 64 * 64
  }

  private static func size(trialBytes: Int, callers: Int) -> Int {
    stackOffset(trialBytes: trialBytes, callers: callers)
      + MemoryLayout<interlock_stack_area>.stride
      + stackSlots * MemoryLayout<interlock_stack_slot>.stride
  }

  private static func map(_ descriptor: Int32, bytes: Int) -> UnsafeMutableRawPointer? {
    let base = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    return base == MAP_FAILED ? nil : base
  }
}

extension ProgressTable: ProgressSink {
  func began(caller: Int, operation: Int) {
    guard (0..<callers).contains(caller) else { return }
    callerWord(caller, 0).pointee.store(UInt64(operation) &+ 1, ordering: .relaxed)
  }

  func completed(caller: Int) {
    guard (0..<callers).contains(caller) else { return }
    callerWord(caller, 1).pointee.wrappingAdd(1, ordering: .relaxed)
    stripeWord(caller % Self.stripes).pointee.wrappingAdd(1, ordering: .relaxed)
  }
}
