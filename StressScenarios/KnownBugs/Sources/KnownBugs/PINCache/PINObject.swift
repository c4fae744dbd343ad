import Interlock

/// A cached value: bytes in an object that callers share by reference, as an `NSMutableData`.
///
/// The cache's lock guards the dictionary, not the objects in it. Two callers that get one key get
/// one object; if one of them changes it, they race. Each object is a resource of its own, so that
/// the race is detected.
///
/// `@unchecked Sendable`: the harness tests whether it is shared safely.
final class PINObject: @unchecked Sendable {
  private let section = Section("pin.object")
  private var stored: [UInt8]
  private let end: (@Sendable () -> Void)?

  /// An object of these bytes, whose `deinit` may call a block, as models with derived objects do.
  init(_ bytes: [UInt8], end: (@Sendable () -> Void)? = nil) {
    stored = bytes
    self.end = end
  }

  deinit { end?() }

  var bytes: [UInt8] { section.read { stored } }

  func append(_ more: [UInt8]) {
    section.write {
      stored += more
      SYNC_POINT("pinobject.append.written")
    }
  }

  func copy() -> PINObject { PINObject(bytes) }
}
