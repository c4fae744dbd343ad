import Interlock

/// What a cache of the family holds: bytes in an object that is handed out by reference, as an
/// `NSMutableData` is.
///
/// The cache's lock guards the dictionary, not the objects in it. Two callers that get one key get
/// one object; if one of them changes it, they race, and each object is a resource of its own to
/// tell so.
///
/// `@unchecked Sendable`: whether it is shared safely is the question that the harness asks.
open class PINObject: @unchecked Sendable {
  private let section = Section("pin.object")
  private var stored: [UInt8]

  /// An object of these bytes.
  package init(_ bytes: [UInt8]) {
    stored = bytes
  }

  /// What the object holds now.
  package final var bytes: [UInt8] { section.read { stored } }

  /// Puts more behind what there is.
  package final func append(_ more: [UInt8]) {
    section.write {
      stored += more
      SYNC_POINT("pinobject.append.written")
    }
  }

  /// Another object with the same bytes.
  package final func copy() -> PINObject { PINObject(bytes) }
}
