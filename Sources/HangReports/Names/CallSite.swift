package import Interlock
import ProcessInspection

/// A call on a stack, and the frame that tells a reader where the call comes from.
///
/// Many projects wrap their locks: every lock is acquired at one line of a helper. That line says
/// nothing; the line that calls the helper does.
package struct CallSite {
  /// A frame of a user's function on the stack.
  package struct Frame {
    package let place: StackFrame
    /// The function of the place, as `CallSite.shown` compares it.
    let function: Function
    /// True if a parameter of the function is a function: see `NamedFrame.takesFunction`.
    package let takesFunction: Bool

    /// Describes a frame.
    package init(place: StackFrame, takesFunction: Bool = false) {
      self.place = place
      function = Function(place)
      self.takesFunction = takesFunction
    }
  }

  /// The called operation, such as `lock`.
  package var operation: String
  /// The frames that have a line, innermost first.
  package var frames: [Frame]

  /// Describes a call.
  package init(operation: String, frames: [Frame]) {
    self.operation = operation
    self.frames = frames
  }

  /// Creates a call from those of its frames that are user code and have a line.
  package init(operation: String, users frames: [StackFrame]) {
    let users = frames.filter { !$0.isSystem && $0.line ?? 0 > 0 }
    self.init(operation: operation, frames: users.map { Frame(place: $0) })
  }

  /// The frame to show, and the helper between it and the call.
  package struct Shown: Hashable {
    package var place: StackFrame
    package var helper: String?
  }

  /// The frame to show of each call; `nil` for a call without a frame.
  ///
  /// Pure: all calls together determine which functions are helpers.
  package static func shown(_ sites: [CallSite]) -> [Shown?] {
    var at = sites.map { _ in 0 }
    let lockTypes = Set(
      Set(sites.flatMap(\.frames).map(\.function)).filter(\.isNamedAsLock).compactMap(\.type))
    // Bound the depth: helpers call helpers.
    for _ in 0..<8 {
      let helpers = helpers(sites, at, lockTypes)
      let next = zip(sites, at).map { site, index in
        index + 1 < site.frames.count && helpers.contains(site.frames[index].function)
          ? index + 1 : index
      }
      if next == at { break }
      at = next
    }
    return zip(sites, at).map { site, index in
      guard index < site.frames.count else { return nil }
      let helper = index > 0 ? site.frames[index - 1].function.name : nil
      return Shown(place: site.frames[index].place, helper: helper)
    }
  }

  /// The functions at these frames that are helpers.
  private static func helpers(
    _ sites: [CallSite], _ at: [Int], _ lockTypes: Set<String>
  ) -> Set<Function> {
    var rows: [Function: [(site: CallSite, index: Int)]] = [:]
    for (site, index) in zip(sites, at) where index < site.frames.count {
      rows[site.frames[index].function, default: []].append((site, index))
    }
    return Set(
      rows.filter { function, rows in
        if rows.allSatisfy({ isSystemHeader($0.site.frames[$0.index].place) }) { return true }
        // If each operation has one line, the function's name says as much as the line.
        let lines = Dictionary(grouping: rows, by: \.site.operation).mapValues {
          Set($0.map { $0.site.frames[$0.index].place.line })
        }
        guard lines.values.allSatisfy({ $0.count == 1 }) else { return false }
        if function.isNamedAsLock || function.isAccessor { return true }
        if Set(lines.keys) == ["made"] {
          if let type = function.type, lockTypes.contains(type) { return true }
          // Otherwise several locks would get the same name: those created by one `init`, or by one
          // function for several callers.
          if function.isInitializer { return rows.count > 1 }
          if Set(rows.map { $0.site.frames.dropFirst($0.index + 1).map(\.place) }).count > 1 {
            return true
          }
        }
        if rows.contains(where: { $0.site.frames[$0.index].takesFunction }) {
          return rows.count > 1
        }
        let callers = Set(
          rows.compactMap { row in
            row.site.frames.dropFirst(row.index + 1).first?.function
          })
        let alike = sites.count { lines.keys.contains($0.operation) }
        return callers.subtracting([function]).count > 2 && rows.count * 2 > alike
      }.keys)
  }

  /// True for system headers: the C++ library and others have locks that are inlined into user
  /// code.
  private static func isSystemHeader(_ place: StackFrame) -> Bool {
    guard let file = place.file else { return false }
    return file.hasPrefix("/usr/") || file.contains("/include/c++/")
  }

  /// A function, together with its closures.
  package struct Function: Hashable {
    /// The name, such as `Bank.close()`.
    package var name: String
    package var file: String?

    /// The function of a frame.
    package init(_ frame: StackFrame) {
      name = Self.short(Self.around(frame.function ?? "?"))
      file = frame.file
    }

    /// Removes `static` and the function's own generic parameters.
    private static func short(_ name: String) -> String {
      let name = name.hasPrefix("static ") ? String(name.dropFirst("static ".count)) : name
      guard let open = name.firstIndex(of: "<"), let end = name.lastIndex(of: "("),
        let close = name[..<end].lastIndex(of: ">"), open > name.startIndex, open < close
      else { return name }
      // Keep the generic parameters of a type: remove only the function's own.
      guard name.index(after: close) == end else { return name }
      let last = name[..<end].lastIndex(of: ".") ?? name.startIndex
      guard let own = name[last...].firstIndex(of: "<") else { return name }
      return String(name[..<own] + name[end...])
    }

    /// The function that contains a closure: `Bank.close()` for `closure #1 in Bank.close()`.
    static func around(_ name: String) -> String {
      var rest = Substring(name)
      while rest.hasPrefix("closure #") || rest.hasPrefix("implicit closure #"),
        let next = rest.firstRange(of: " in ")
      {
        rest = rest[next.upperBound...]
      }
      return String(rest)
    }

    /// True if the function gets or sets a property wrapper's value, or an element. Code that names
    /// the property calls it.
    var isAccessor: Bool {
      let parts = name.split(separator: ".").suffix(2)
      guard parts.count == 2, let value = parts.first?.prefix(while: { $0 != "(" }) else {
        return false
      }
      return ["wrappedValue", "subscript"].contains(value)
        && ["getter", "setter", "modify", "read"].contains(parts.last)
    }

    /// The type that the function is a member of; `nil` for a function outside of types.
    var type: String? {
      let path = name.prefix { $0 != "(" && $0 != "<" }
      return path.lastIndex(of: ".").map { String(path[..<$0]) }
    }

    /// True for an `init`, and for the function that allocates for it.
    var isInitializer: Bool {
      let own = name.prefix { $0 != "(" && $0 != "<" }.split(separator: ".").last
      return own == "init" || own == "__allocating_init"
    }

    private static let ofCPlusPlus = Set<Substring>(
      ["", "recursive_"].flatMap { kind in
        ["lock", "unlock", "trylock"].map { "__gthread_\(kind)mutex_\($0)" }
      })

    /// True if the name is one that libraries give to their lock functions: `lock`, `tryLock`,
    /// `lockToRead`, `withLock`, `withLockedValue`, `locked`, `synchronized`.
    var isNamedAsLock: Bool {
      // No Regex: it would be parsed at each call, and a schedule has thousands of frames.
      let own = name.prefix { $0 != "(" && $0 != "<" }.split(separator: ".").last ?? ""
      let afterVerb = ["lock", "unlock", "tryLock", "withLock", "withTryLock"].lazy
        .filter { own.hasPrefix($0) }.map { own.dropFirst($0.count) }
      return afterVerb.contains {
        $0.isEmpty || $0.hasPrefix("ed") || ("A"..."Z").contains($0.prefix(1))
      }
        || ["Reader", "Writer", "Read", "Write"].contains { own.hasPrefix("with\($0)Lock") }
        || own == "synchronized" || Self.ofCPlusPlus.contains(own)
    }
  }
}
