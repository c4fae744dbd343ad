internal import SectionTable

/// Entry point from C: `BEGIN_LOCK` of `interlock.h`.
@_cdecl("interlock_section_begin")
func sectionBegin(
  _ file: UnsafePointer<CChar>, _ function: UnsafePointer<CChar>, _ line: CInt, _ mode: CInt,
  _ synched: CInt, _ name: UnsafePointer<CChar>, _ length: Int
) {
  #if INTERLOCK_TRACKING
  guard let mode = Mode(rawValue: Int(mode)) else { return reportUnknown(mode, file, line) }
  NamedSections.begin(
    writes: mode.writes, bytes: UnsafeRawBufferPointer(start: name, count: length),
    synched: synched != 0, at: Site(cFile: file, cFunction: function, line: UInt(line)))
  #endif
}

/// Entry point from C: `END_LOCK` of `interlock.h`.
@_cdecl("interlock_section_end")
func sectionEnd(
  _ file: UnsafePointer<CChar>, _ function: UnsafePointer<CChar>, _ line: CInt, _ mode: CInt,
  _ name: UnsafePointer<CChar>, _ length: Int
) {
  #if INTERLOCK_TRACKING
  guard let mode = Mode(rawValue: Int(mode)) else { return reportUnknown(mode, file, line) }
  NamedSections.end(
    writes: mode.writes, bytes: UnsafeRawBufferPointer(start: name, count: length),
    at: Site(cFile: file, cFunction: function, line: UInt(line)))
  #endif
}

/// Entry point from C: `BEGIN_LOCK_PART` of `interlock.h`. A part in C is a string, and is equal to
/// the same string in Swift.
@_cdecl("interlock_part_begin")
func partBegin(
  _ file: UnsafePointer<CChar>, _ function: UnsafePointer<CChar>, _ line: CInt, _ mode: CInt,
  _ synched: CInt, _ part: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>, _ length: Int
) {
  #if INTERLOCK_TRACKING
  guard let mode = Mode(rawValue: Int(mode)) else { return reportUnknown(mode, file, line) }
  let resource = Resource(
    bytes: UnsafeRawBufferPointer(start: name, count: length), isBorrowed: true)
  _ = Registry.begin(
    resource, writes: mode.writes, part: Part.of(String(cString: part)), synched: synched != 0,
    at: Site(cFile: file, cFunction: function, line: UInt(line)))
  #endif
}

/// Entry point from C: `END_LOCK_PART` of `interlock.h`.
@_cdecl("interlock_part_end")
func partEnd(
  _ file: UnsafePointer<CChar>, _ function: UnsafePointer<CChar>, _ line: CInt, _ mode: CInt,
  _ part: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>, _ length: Int
) {
  #if INTERLOCK_TRACKING
  guard let mode = Mode(rawValue: Int(mode)) else { return reportUnknown(mode, file, line) }
  let resource = Resource(
    bytes: UnsafeRawBufferPointer(start: name, count: length), isBorrowed: true)
  Registry.end(
    resource, writes: mode.writes, part: Part.of(String(cString: part)),
    at: Site(cFile: file, cFunction: function, line: UInt(line)))
  #endif
}

private func reportUnknown(_ mode: CInt, _ file: UnsafePointer<CChar>, _ line: CInt) {
  writeError(
    "interlock: \(String(cString: file)):\(line): the mode must be LOCK_NO_WRITE (1) or"
      + " LOCK_NO_READWRITE (3), found \(mode)\n")
}
