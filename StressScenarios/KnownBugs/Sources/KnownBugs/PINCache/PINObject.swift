import Interlock

/// A cached value: bytes in an object that callers share by reference, as an `NSMutableData`.
///
/// The cache's lock guards the dictionary, not the objects in it. Two callers that get one key get
/// one object; if one of them changes it, they race. Each object is a resource of its own, so that
/// the race is detected.
///
/// `@unchecked Sendable`: the harness tests whether it is shared safely.
class PINObject: @unchecked Sendable {
  private let section = Section("pin.object")
  private var stored: [UInt8]

  /// An object of these bytes.
  init(_ bytes: [UInt8]) {
    stored = bytes
  }

  /// The object's current bytes.
  final var bytes: [UInt8] { section.read { stored } }

  /// Appends bytes.
  final func append(_ more: [UInt8]) {
    section.write {
      stored += more
      SYNC_POINT("pinobject.append.written")
    }
  }

  /// Another object with the same bytes.
  final func copy() -> PINObject { PINObject(bytes) }
}
