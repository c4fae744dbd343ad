/// A frame and the symbol that its name comes from.
struct NamedFrame {
  var frame: StackFrame
  var symbol: String?
  /// How many bytes the address lies behind the beginning of the function; 0 where that is not
  /// known.
  var offset: UInt = 0
  /// Whether the function is a thunk, which only passes a call on.
  var isThunk = false

  /// Whether the function is part of the tracker.
  var isTrackers: Bool {
    guard let symbol else { return false }
    return symbol.hasPrefix("$s9Interlock") || symbol.hasPrefix("interlock_")
  }

  /// Whether no file at all is known.
  var hasNoFile: Bool { frame.file == nil }

  /// Whether the file is none that a user wrote.
  var isInNoFile: Bool { frame.file?.hasSuffix("<compiler-generated>") ?? true }

  /// Whether debug information ties the address to a line of such a file.
  var hasLine: Bool { !isInNoFile && frame.line ?? 0 > 0 }

  /// Whether functions of equal machine code were merged into this one: its name is that of one of
  /// them.
  var isMerged: Bool { symbol?.hasSuffix("Tm") ?? false }
}
