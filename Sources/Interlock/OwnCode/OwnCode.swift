internal import SectionTable

/// A target of Interlock whose code can be on a stack together with the user's. It is identified by
/// its module and source folder.
///
/// In a statically linked executable the code of all modules is in one image, in any order, so
/// address ranges do not identify modules. A declaration takes the names from the compiler, so it
/// stays correct if a folder or module is renamed.
package struct OwnCode: Sendable, Hashable {
  /// The role of the target's code on a stack.
  package enum Part: Sendable {
    /// User code calls it, like the standard library.
    case library
    /// Forwards interposed calls to system libraries.
    case interposition
    /// Inspects the process.
    case inspection
    /// Calls subjects in a trial.
    case runner
    /// Calls the runner, or serves it.
    case harness
    /// Contains locks. Each lock is judged by the functions on the stack.
    case locks
    /// Calls its own subjects from `main`; these are user code.
    case executable
  }

  package let part: Part
  /// The module; `nil` for a C target.
  package let module: String?
  /// The path of the target's sources.
  package let folder: String

  /// Declares a Swift target. Call it in a file at the top of the target's folder.
  package init(_ part: Part, fileID: String = #fileID, filePath: String = #filePath) {
    self.part = part
    module = String(fileID.prefix { $0 != "/" })
    folder = Self.folder(of: filePath)
  }

  /// Declares a C target by the path of a header in its `include` folder.
  package init(_ part: Part, header: UnsafePointer<CChar>) {
    self.part = part
    module = nil
    folder = Self.folder(of: Self.folder(of: String(cString: header)))
  }

  /// True if a source file belongs to the target.
  ///
  /// Debug information has absolute paths for Swift files, and paths relative to the package for C
  /// files.
  package func contains(file: String) -> Bool {
    if file.hasPrefix(folder), file.utf8.dropFirst(folder.utf8.count).first == UInt8(ascii: "/") {
      return true
    }
    return module == nil && absolute(file) != nil
  }

  /// The absolute path of a source file of the target, from its path in the package; `nil` for a
  /// file outside of the target's folder.
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
      // The module's folder is one above this file's.
      OwnCode(.library, filePath: OwnCode.folder(of: #filePath)),
      OwnCode(.library, fileID: SectionTableFile.id, filePath: SectionTableFile.path),
    ]
    /// The part of each file, found once: stacks have thousands of frames in few files.
    var parts: [String: Part?] = [:]
  }

  private static let known = Guarded(Known())

  /// Adds the targets of a product and of its dependencies. Call it when the product starts, from
  /// any thread.
  package static func register(_ targets: Set<OwnCode>) {
    known.withLock {
      $0.targets.formUnion(targets)
      $0.parts = [:]
    }
  }

  /// The absolute path of a module's source file, from its path in the package; `nil` for a module
  /// or file of the user.
  ///
  /// Debug information has such a path for the caller of an inlined function. A user's folder may
  /// have the same path in another package, but no other module of the process has the same name.
  package static func path(of file: String, inModule module: String) -> String? {
    known.withLock {
      $0.targets.lazy.filter { $0.module == module }.compactMap { $0.absolute(file) }.first
    }
  }

  /// The folder of this package's targets, two levels above this file's.
  private static let sources = folder(of: folder(of: folder(of: #filePath)))

  /// True if a source file belongs to this package, including undeclared targets.
  package static func isInPackage(file: String) -> Bool { file.hasPrefix(sources + "/") }

  /// The part that a module belongs to; `nil` for the user's modules.
  package static func part(ofModule module: String) -> Part? {
    known.withLock { $0.targets.first { $0.module == module }?.part }
  }

  /// The part that a source file belongs to; `nil` for the user's files.
  package static func part(ofFile file: String) -> Part? {
    known.withLock { known in
      if let part = known.parts[file] { return part }
      let part = known.targets.first { $0.contains(file: file) }?.part
      known.parts[file] = .some(part)
      return part
    }
  }
}
