internal import Synchronization

/// Holds an object for as long as the process lives, and finds it by its address: a lazy global
/// costs a call, and a count of references, at each use.
///
/// Thread-safe.
struct LastingObject<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  private static var none: UInt { 1 }

  /// 0 before anything is set, `none` where it is known that there is no object.
  private let address = Atomic<UInt>(0)

  /// Whether it is known which object there is, if any.
  @inline(__always)
  var isSet: Bool {
    // Relaxed: it says nothing of what is in the object.
    address.load(ordering: .relaxed) != 0
  }

  /// Keeps an object for ever, or that there is none. To be called once.
  func set(_ object: Object?) {
    let known = object.map { UInt(bitPattern: Unmanaged.passRetained($0).toOpaque()) }
    // Releases what is in it to whoever finds it.
    address.store(known ?? Self.none, ordering: .releasing)
  }

  /// Calls with the object, if there is one; `false` before anything is set.
  @inline(__always)
  func with(_ body: (Object) -> Void) -> Bool {
    // Acquires what is in it.
    let known = address.load(ordering: .acquiring)
    guard known != Self.none, let object = UnsafeRawPointer(bitPattern: known) else {
      return known != 0
    }
    // It is never let go: nobody has to keep it meanwhile.
    Unmanaged<Object>.fromOpaque(object)._withUnsafeGuaranteedRef(body)
    return true
  }
}
