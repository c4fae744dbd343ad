/// The property and the accessing code in the call stack of a `@Tracked` property's section.
///
/// Innermost are the accessor that the compiler wrote, and thunks that lead to it: a protocol's, a
/// key path's.
struct PropertyAccess {
  /// `Cache.entries`; `nil` if the stack does not show it.
  let property: String?
  /// The stack from the accessing code on.
  private var frames: [NamedFrame]

  private static let suffixes = [".getter", ".setter", ".modify", ".read"]

  var stack: [StackFrame] { frames.map(\.frame) }

  /// Reads a stack.
  ///
  /// - Parameters:
  ///   - frames: All of it, innermost first.
  ///   - location: Finds a line for a frame to which debug information gives none.
  init(of frames: [NamedFrame], location: (NamedFrame) -> NeighbouringLines.Location?) {
    var rest = frames.drop(while: \.isTrackers)
    var property: String?
    // A user's own accessor has a line.
    if let first = rest.first, !first.hasLine, let name = Self.property(of: first) {
      property = first.isMerged ? nil : name
      rest = rest.drop { !$0.hasLine && Self.property(of: $0) == name }
    }
    self.property = property
    self.frames = Array(rest.drop { $0.isThunk || $0.hasNoFile && $0.isLibrarys })
    if let access = self.frames.first, !access.hasNoFile, !access.hasLine {
      // Code of the standard library that was specialised and inlined has its caller's line.
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

  /// Where the property is accessed; the place of the declaration, with what else is known, if
  /// debug information has no line.
  func place(declaredAt declaration: Place) -> Place {
    guard let access = frames.first else { return declaration }
    // Standard library code that was specialised for the user's code has the user's lines.
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

  /// `Module/File.swift`, as `#fileID` has it.
  private static func fileID(_ path: String, _ module: String?, _ declaration: String) -> String {
    let base = path.split(separator: "/").last.map(String.init) ?? path
    if let module { return "\(module)/\(base)" }
    if declaration.hasSuffix("/\(base)") { return declaration }
    return path.split(separator: "/").suffix(2).joined(separator: "/")
  }

  private static func property(of frame: NamedFrame) -> String? {
    guard let name = frame.frame.function else { return nil }
    // A type in a function: `entries.modify in Cache #1 in fill()`.
    let context = name.firstRange(of: " in ").map { name[$0.upperBound...].prefix { $0 != " " } }
    let accessor = name.firstRange(of: " in ").map { name[..<$0.lowerBound] } ?? name[...]
    guard let suffix = suffixes.first(where: accessor.hasSuffix) else { return nil }
    return (context.map { "\($0)." } ?? "") + accessor.dropLast(suffix.count)
  }
}

extension NamedFrame {
  /// Whether the function is the accessor that the compiler writes for mutations in place.
  fileprivate var isInPlaceAccessor: Bool {
    [".modify", ".read"].contains { frame.function?.hasSuffix($0) ?? false }
  }
}
