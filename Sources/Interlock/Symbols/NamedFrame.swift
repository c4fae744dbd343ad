/// A frame and the symbol that its name comes from.
package struct NamedFrame: Sendable, Codable {
  package var frame: StackFrame
  var symbol: String?
  /// The distance of the address from the beginning of the function, in bytes; 0 if unknown.
  var offset: UInt = 0
  /// The column of the line, from 1 and in bytes; `nil` if unknown.
  var column: Int?
  /// Whether the function is a thunk, which only forwards a call.
  var isThunk = false

  /// Whether the function is part of the tracker.
  var isTrackers: Bool {
    guard let symbol else { return false }
    return ["$s9Interlock", "$s12SectionTable", "interlock_"].contains(where: symbol.hasPrefix)
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

  /// The libraries of the toolchain that call or are called by a user's functions, but for those
  /// of Swift itself: they have no lines.
  private static let libraries: Set<Substring> = [
    "libTesting", "lib_TestingInterop", "lib_Testing_Foundation", "libXCTest", "libFoundation",
    "libFoundationEssentials", "libFoundationInternationalization", "libFoundationNetworking",
    "libFoundationXML", "lib_FoundationICU",
  ]

  /// Whether a file is a library of the toolchain. Whole names: a user may call a library
  /// `libTestingTools`; and `libswiftlog`, so after `libswift` comes a capital letter, or one after
  /// an underscore.
  private static func isToolchains(_ image: String) -> Bool {
    let name = image.prefix { $0 != "." }
    guard name.hasPrefix("libswift") else { return libraries.contains(name) }
    var rest = name.dropFirst("libswift".count)
    if rest.first == "_" { rest.removeFirst() }
    return rest.first?.isUppercase ?? false
  }

  /// Whether the function is part of the runtime or of a library of the toolchain.
  var isLibrarys: Bool {
    if let image = frame.image, Self.isToolchains(image) { return true }
    return symbol?.hasPrefix("swift_") ?? false
  }
}
