/// A target of Interlock whose code can be on a stack beside a user's, by the module and the source
/// folder that the compiler gives it.
///
/// In an executable that is linked statically, the code of all modules is in one image, and the
/// linker may mix it, so no range of addresses tells modules apart. What a target declares here is
/// the compiler's own spelling: a folder or a module that is renamed stays known.
package struct OwnCode: Sendable, Hashable {
  /// What the code does on a stack.
  package enum Part: Sendable {
    /// User code calls it, as it calls the standard library.
    case library
    /// Stands before the calls of a library of the system.
    case interposition
    /// Watches the process.
    case inspection
    /// Calls subjects in a trial.
    case runner
    /// Calls the runner, or serves it.
    case harness
    /// Locks, each judged by the functions that are on the stack.
    case locks
    /// Calls its own subjects, which are user code, from `main`.
    case executable
  }

  package let part: Part
  /// The module; `nil` for a target in C.
  package let module: String?
  /// The path of the target's sources.
  package let folder: String

  /// Declares a target in Swift; to be called in a file at the top of its folder.
  package init(_ part: Part, fileID: String = #fileID, filePath: String = #filePath) {
    self.part = part
    module = String(fileID.prefix { $0 != "/" })
    folder = Self.folder(of: filePath)
  }

  /// Declares a target in C by the path of a header in its `include`.
  package init(_ part: Part, header: UnsafePointer<CChar>) {
    self.part = part
    module = nil
    folder = Self.folder(of: Self.folder(of: String(cString: header)))
  }

  /// Whether a source file is the target's.
  ///
  /// Debug information has Swift files by their whole path, and C files by their path in the
  /// package.
  package func contains(file: String) -> Bool {
    if file.hasPrefix(folder + "/") { return true }
    guard module == nil, !file.hasPrefix("/") else { return false }
    return file.indices.contains { file[$0] == "/" && folder.hasSuffix("/" + file[..<$0]) }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return path }
    return String(path[..<slash])
  }
}

extension OwnCode {
  // One folder further up than where this file is.
  private static let known = Guarded<Set<OwnCode>>([
    OwnCode(.library, filePath: folder(of: #filePath))
  ])

  /// Adds the targets of a product, with those below it. To be called where the product starts to
  /// work; from any thread.
  package static func register(_ targets: Set<OwnCode>) {
    known.withLock { $0.formUnion(targets) }
  }

  /// What a module is; `nil` for a user's.
  package static func part(ofModule module: String) -> Part? {
    known.withLock { $0.first { $0.module == module }?.part }
  }

  /// What a source file belongs to; `nil` for a user's.
  package static func part(ofFile file: String) -> Part? {
    known.withLock { $0.first { $0.contains(file: file) }?.part }
  }
}
