/// The property and the accessing code in the call stack of a `@Tracked` property's section.
///
/// Innermost on such a stack are the generated accessor and thunks that lead to it, for a protocol
/// or a key path.
struct PropertyAccess {
  /// The property, such as `Cache.entries`; `nil` if the stack does not show it.
  let property: String?
  /// The stack, starting with the accessing code.
  private var frames: [NamedFrame]

  private static let suffixes = [".getter", ".setter", ".modify", ".read"]

  var stack: [StackFrame] { frames.map(\.frame) }

  /// Reads a stack.
  ///
  /// - Parameters:
  ///   - frames: The whole stack, innermost frame first.
  ///   - location: Finds a line for a frame without a line in debug information.
  init(of frames: [NamedFrame], location: (NamedFrame) -> NeighbouringLines.Location?) {
    var rest = frames.drop(while: \.isTrackers)
    var property: String?
    // Skip only generated accessors: a user's own accessor has a line.
    if let first = rest.first, !first.hasLine, let name = Self.property(of: first) {
      property = first.isMerged ? nil : name
      rest = rest.drop { !$0.hasLine && Self.property(of: $0) == name }
    }
    self.property = property
    self.frames = Array(rest.drop { $0.isThunk || $0.hasNoFile && $0.isLibrarys })
    if let access = self.frames.first, !access.hasNoFile, !access.hasLine {
      // Specialised and inlined code of the standard library has its caller's line.
      let caller = self.frames.first {
        $0.frame.address == access.frame.address && $0.hasLine
          && SymbolModule.module(of: access.symbol) == "Swift"
      }
      let found =
        location(access) ?? caller.map { .init(file: $0.frame.file, line: $0.frame.line) }
      self.frames[0].frame.file = found?.file
      self.frames[0].frame.line = found?.line
    }
  }

  /// The place of the access. If debug information has no line, the place of the declaration with
  /// what else is known.
  func place(declaredAt declaration: Place) -> Place {
    guard let access = frames.first else { return declaration }
    // Standard library code that is specialised for user code has the user's lines.
    let functions = frames.prefix { $0.frame.address == access.frame.address } + [access]
    // An inlined accessor may come after functions that it is inlined into.
    let function =
      functions.first {
        SymbolModule.module(of: $0.symbol) != "Swift" && !$0.isInPlaceAccessor
      } ?? access
    guard let path = access.frame.file, let line = access.frame.line, line > 0 else {
      guard let name = access.frame.function else { return declaration }
      let others = access.isMerged ? " or a function with the same code" : ""
      return Place(
        file: declaration.file, line: declaration.line,
        function: "\(declaration.function), accessed by \(name)\(others)")
    }
    return Place(
      file: Self.fileID(path, SymbolModule.module(of: function.symbol), declaration.file),
      line: line, function: function.frame.function ?? declaration.function)
  }

  /// `Module/File.swift`, as in `#fileID`.
  private static func fileID(_ path: String, _ module: String?, _ declaration: String) -> String {
    let base = path.split(separator: "/").last.map(String.init) ?? path
    if let module { return "\(module)/\(base)" }
    if declaration.hasSuffix("/\(base)") { return declaration }
    return path.split(separator: "/").suffix(2).joined(separator: "/")
  }

  private static func property(of frame: NamedFrame) -> String? {
    guard let name = frame.frame.function else { return nil }
    // Handle a type in a function: `entries.modify in Cache #1 in fill()`.
    let context = name.firstRange(of: " in ").map { name[$0.upperBound...].prefix { $0 != " " } }
    let accessor = name.firstRange(of: " in ").map { name[..<$0.lowerBound] } ?? name[...]
    guard let suffix = suffixes.first(where: accessor.hasSuffix) else { return nil }
    return (context.map { "\($0)." } ?? "") + accessor.dropLast(suffix.count)
  }
}

extension NamedFrame {
  /// True if the function is the generated accessor for mutations in place.
  fileprivate var isInPlaceAccessor: Bool {
    [".modify", ".read"].contains { frame.function?.hasSuffix($0) ?? false }
  }
}
