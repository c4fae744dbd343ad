/// A frame and the symbol that its name comes from.
package struct NamedFrame: Sendable, Codable {
  package var frame: StackFrame
  var symbol: String?
  /// The distance of the address from the beginning of the function, in bytes; 0 if unknown.
  var offset: UInt = 0
  /// Whether the function is a thunk, which only forwards a call.
  var isThunk = false

  /// Whether the function is part of the tracker.
  var isTrackers: Bool {
    guard let symbol else { return false }
    return symbol.hasPrefix("$s9Interlock") || symbol.hasPrefix("interlock_")
  }

  /// Whether the file is unknown.
  var hasNoFile: Bool { frame.file == nil }

  /// Whether the frame has no file, or one that the compiler generated.
  var isInNoFile: Bool { frame.file?.hasSuffix("<compiler-generated>") ?? true }

  /// Whether debug information ties the address to a line of such a file.
  var hasLine: Bool { !isInNoFile && frame.line ?? 0 > 0 }

  /// Whether functions with equal machine code were merged into this one: its name is that of one
  /// of them.
  var isMerged: Bool { symbol?.hasSuffix("Tm") ?? false }

  /// The libraries of the toolchain that call or are called by a user's functions: they have no
  /// lines.
  private static let libraries = [
    "libswift", "libTesting", "lib_Testing", "libXCTest", "libFoundation", "lib_Foundation",
  ]

  /// Whether the function is part of the runtime or of a library of the toolchain.
  var isLibrarys: Bool {
    if let image = frame.image, Self.libraries.contains(where: image.hasPrefix) { return true }
    return symbol?.hasPrefix("swift_") ?? false
  }
}
