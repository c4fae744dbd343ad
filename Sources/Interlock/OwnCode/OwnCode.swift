internal import SectionTable

/// A target of Interlock whose code can be on a stack beside the user's, by its module and source
/// folder.
///
/// In a statically linked executable the code of all modules is in one image, in any order, so
/// address ranges do not identify modules. A declaration uses the compiler's own spelling, so it
/// stays right if a folder or a module is renamed.
package struct OwnCode: Sendable, Hashable {
  /// What the target's code does on a stack.
  package enum Part: Sendable {
    /// User code calls it, as it calls the standard library.
    case library
    /// Forwards interposed calls to system libraries.
    case interposition
    /// Inspects the process.
    case inspection
    /// Calls subjects in a trial.
    case runner
    /// Calls the runner, or serves it.
    case harness
    /// Locks; each is judged by the functions on the stack.
    case locks
    /// Calls its own subjects, which are user code, from `main`.
    case executable
  }

  package let part: Part
  /// The module; `nil` for a target in C.
  package let module: String?
  /// The path of the target's sources.
  package let folder: String

  /// Declares a target in Swift; call it in a file at the top of its folder.
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

  /// Whether a source file belongs to the target.
  ///
  /// Debug information has absolute paths of Swift files, and paths in the package of C files.
  package func contains(file: String) -> Bool {
    if file.hasPrefix(folder), file.utf8.dropFirst(folder.utf8.count).first == UInt8(ascii: "/") {
      return true
    }
    return module == nil && absolute(file) != nil
  }

  /// The absolute path of a source file of the target by its path in the package; `nil` for a file
  /// that is not below the target's folder.
  private func absolute(_ file: String) -> String? {
    guard !file.hasPrefix("/") else { return nil }
    let slash = file.indices.first { file[$0] == "/" && folder.hasSuffix("/" + file[..<$0]) }
    return slash.map { folder + file[$0...] }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return path }
    return String(path[..<slash])
  }
}

extension OwnCode {
  private struct Known {
    var targets: Set<OwnCode> = [
      // One folder above this file's.
      OwnCode(.library, filePath: OwnCode.folder(of: #filePath)),
      OwnCode(.library, fileID: SectionTableFile.id, filePath: SectionTableFile.path),
    ]
    /// The parts of files, each found once: stacks have thousands of frames in few files.
    var parts: [String: Part?] = [:]
  }

  private static let known = Guarded(Known())

  /// Adds the targets of a product and those that it depends on. Call it when the product starts;
  /// callable from any thread.
  package static func register(_ targets: Set<OwnCode>) {
    known.withLock {
      $0.targets.formUnion(targets)
      $0.parts = [:]
    }
  }

  /// The absolute path of a module's source file by its path in the package; `nil` for a module or
  /// a file of the user's.
  ///
  /// Debug information has such a path for the caller of an inlined function. A user's folder may
  /// have the same path in another package, but no other module of the process has the same name.
  package static func path(of file: String, inModule module: String) -> String? {
    known.withLock {
      $0.targets.lazy.filter { $0.module == module }.compactMap { $0.absolute(file) }.first
    }
  }

  /// The folder of this package's targets, two above this file's.
  private static let sources = folder(of: folder(of: folder(of: #filePath)))

  /// Whether a source file is this package's, of a declared target or another one.
  package static func isInPackage(file: String) -> Bool { file.hasPrefix(sources + "/") }

  /// The part that a module is; `nil` for the user's.
  package static func part(ofModule module: String) -> Part? {
    known.withLock { $0.targets.first { $0.module == module }?.part }
  }

  /// The part that a source file belongs to; `nil` for the user's.
  package static func part(ofFile file: String) -> Part? {
    known.withLock { known in
      if let part = known.parts[file] { return part }
      let part = known.targets.first { $0.contains(file: file) }?.part
      known.parts[file] = .some(part)
      return part
    }
  }
}
