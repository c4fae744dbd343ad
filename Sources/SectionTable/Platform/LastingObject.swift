internal import Synchronization

/// Keeps an object forever, and returns it by its address. A lazy global would cost a call and
/// reference counting at each use.
///
/// Thread-safe.
package struct LastingObject<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  private static var none: UInt { 1 }

  /// 0 before `set`; `none` if there is no object.
  private let address = Atomic<UInt>(0)

  package init() {}

  /// True if `set` has been called.
  @inline(__always)
  package var isSet: Bool {
    // Relaxed: the result gives no access to the object's contents.
    address.load(ordering: .relaxed) != 0
  }

  /// Keeps an object forever, or the fact that there is none. Call it once.
  package func set(_ object: Object?) {
    let known = object.map { UInt(bitPattern: Unmanaged.passRetained($0).toOpaque()) }
    // Release the object's contents to threads that load the address.
    address.store(known ?? Self.none, ordering: .releasing)
  }

  /// Calls `body` with the object, if there is one. Returns `false` before `set`.
  @inline(__always)
  package func with(_ body: (Object) -> Void) -> Bool {
    // Acquire the object's contents.
    let known = address.load(ordering: .acquiring)
    guard known != Self.none, let object = UnsafeRawPointer(bitPattern: known) else {
      return known != 0
    }
    // The object is never released, so the call needs no reference.
    Unmanaged<Object>.fromOpaque(object)._withUnsafeGuaranteedRef(body)
    return true
  }
}
