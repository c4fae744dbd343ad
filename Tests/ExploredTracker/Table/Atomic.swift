internal import CInterlockExplorer
package import Synchronization

// The tracker's sources are compiled into this program with this type instead of the real one. Each
// access to the table of open sections, and each other access that orders accesses, is a point of
// the explorer. Relaxed accesses outside of the table are plain data.

/// `Synchronization.Atomic` with accesses that are points. One thread runs at a time, so the
/// accesses themselves are plain.
package struct Atomic<Value: AtomicRepresentable & Equatable>: ~Copyable {
  /// Used only as memory, in the layout that the tracker expects.
  private let storage: Synchronization.Atomic<Value>

  package init(_ value: consuming Value) { storage = Synchronization.Atomic(value) }

  /// Like a `Mutex`, an atomic has its own address for as long as it exists.
  fileprivate var value: UnsafeMutablePointer<Value> {
    withUnsafePointer(to: self) {
      UnsafeMutableRawPointer(mutating: UnsafeRawPointer($0)).assumingMemoryBound(to: Value.self)
    }
  }

  package func load(ordering: AtomicLoadOrdering) -> Value {
    Access.reach(INTERLOCK_OPERATION_READ, value, isRelaxed: ordering == .relaxed)
    return read()
  }

  package func store(_ new: Value, ordering: AtomicStoreOrdering) {
    Access.reach(INTERLOCK_OPERATION_WRITE, value, isRelaxed: ordering == .relaxed)
    write(new)
  }

  private func read() -> Value {
    ProgramState.learned(bits(value.pointee))
    return value.pointee
  }

  private func write(_ new: Value) {
    ProgramState.wrote(value, bits(value.pointee), bits(new))
    value.pointee = new
  }

  package func exchange(_ new: Value, ordering: AtomicUpdateOrdering) -> Value {
    update(ordering) { _ in new }.oldValue
  }

  package func compareExchange(
    expected: Value, desired: Value, ordering: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    if let word = desired as? UInt, Access.delays(value) {
      let original = load(ordering: .relaxed)
      let isFree = original == expected && Access.delay(word, at: UnsafeMutableRawPointer(value))
      return (isFree, original)
    }
    return exchange(expected, desired, isRelaxed: ordering == .relaxed)
  }

  package func compareExchange(
    expected: Value, desired: Value, successOrdering: AtomicUpdateOrdering,
    failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    exchange(expected, desired, isRelaxed: successOrdering == .relaxed)
  }

  private func exchange(
    _ expected: Value, _ desired: Value, isRelaxed: Bool
  ) -> (exchanged: Bool, original: Value) {
    Access.reach(INTERLOCK_OPERATION_READ_WRITE, value, isRelaxed: isRelaxed)
    let original = read()
    if original == expected {
      write(desired)
    } else {
      Access.hasOnlyRead(value, isRelaxed: isRelaxed)
    }
    return (original == expected, original)
  }

  @discardableResult
  fileprivate func update(
    _ ordering: AtomicUpdateOrdering, _ change: (Value) -> Value
  ) -> (oldValue: Value, newValue: Value) {
    Access.reach(INTERLOCK_OPERATION_READ_WRITE, value, isRelaxed: ordering == .relaxed)
    let old = read()
    write(change(old))
    return (old, value.pointee)
  }
}

/// The bits of a word of the tracker, or of a smaller value.
private func bits<Value>(_ value: Value) -> UInt64 {
  withUnsafeBytes(of: value) { bytes in
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

// Unchecked: one thread runs at a time.
extension Atomic: @unchecked Sendable where Value: Sendable {}

extension Atomic where Value: FixedWidthInteger {
  @discardableResult
  package func wrappingAdd(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) {
    defer {
      if ordering != .relaxed {
        Access.look(value, UInt64(truncatingIfNeeded: operand), isBegin: true)
      }
    }
    return update(ordering) { $0 &+ operand }
  }

  @discardableResult
  package func wrappingSubtract(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) {
    defer {
      if ordering != .relaxed {
        Access.look(value, UInt64(truncatingIfNeeded: operand), isBegin: false)
      }
    }
    return update(ordering) { $0 &- operand }
  }

  @discardableResult
  package func bitwiseOr(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) {
    update(ordering) { $0 | operand }
  }

  @discardableResult
  package func bitwiseAnd(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) {
    update(ordering) { $0 & operand }
  }
}
