import Interlock
import ProcessInspection

/// A call on a stack, and which frame of the stack shows its reader where the call comes from.
///
/// Projects wrap what they call: every lock of such a project is taken at one line of its helper.
/// That line says nothing; the line that called the helper does.
struct CallSite {
  /// A function of the user's on the stack.
  struct Frame {
    var place: StackFrame
    /// A parameter of the function is a function: see `NamedFrame.takesFunction`.
    var takesFunction = false
  }

  /// What is called, as in `lock`.
  var operation: String
  /// The frames that have a line, innermost first.
  var frames: [Frame]

  /// The frame to show, and the helper between it and the call.
  struct Shown: Hashable {
    var place: StackFrame
    var helper: String?
  }

  /// The frame to show of each call; `nil` for a call without a frame.
  ///
  /// Pure: what is a helper follows from all of the calls together.
  static func shown(_ sites: [CallSite]) -> [Shown?] {
    var at = sites.map { _ in 0 }
    // Helpers call helpers, but not without end.
    for _ in 0..<8 {
      let helpers = helpers(sites, at)
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
  private static func helpers(_ sites: [CallSite], _ at: [Int]) -> Set<Function> {
    var rows: [Function: [(site: CallSite, index: Int)]] = [:]
    for (site, index) in zip(sites, at) where index < site.frames.count {
      rows[site.frames[index].function, default: []].append((site, index))
    }
    return Set(
      rows.filter { function, rows in
        if rows.allSatisfy({ isSystemHeader($0.site.frames[$0.index].place) }) { return true }
        // With one line for each operation, the function's name says as much as the line.
        let lines = Dictionary(grouping: rows, by: \.site.operation).mapValues {
          Set($0.map { $0.site.frames[$0.index].place.line })
        }
        guard lines.values.allSatisfy({ $0.count == 1 }) else { return false }
        if function.isNamedAsLock { return true }
        if rows.contains(where: { $0.site.frames[$0.index].takesFunction }) {
          return rows.count > 1
        }
        let callers = Set(
          rows.compactMap { row in
            row.site.frames.dropFirst(row.index + 1).first?.function
          })
        let alike = sites.count { lines.keys.contains($0.operation) }
        return callers.subtracting([function]).count > 1 && rows.count * 2 > alike
      }.keys)
  }

  /// The C++ library and others have locks whose code is compiled into their users'.
  private static func isSystemHeader(_ place: StackFrame) -> Bool {
    guard let file = place.file else { return false }
    return file.hasPrefix("/usr/") || file.contains("/include/c++/")
  }

  /// A function with its closures.
  struct Function: Hashable {
    /// As in `Bank.close()`.
    var name: String
    var file: String?

    init(_ frame: StackFrame) {
      name = Self.short(Self.around(frame.function ?? "?"))
      file = frame.file
    }

    /// Without `static` and generic parameters.
    private static func short(_ name: String) -> String {
      let name = name.hasPrefix("static ") ? String(name.dropFirst("static ".count)) : name
      guard let open = name.firstIndex(of: "<"), let end = name.lastIndex(of: "("),
        let close = name[..<end].lastIndex(of: ">"), open > name.startIndex, open < close
      else { return name }
      // Those of the function: a generic type's stay.
      guard name.index(after: close) == end else { return name }
      let last = name[..<end].lastIndex(of: ".") ?? name.startIndex
      guard let own = name[last...].firstIndex(of: "<") else { return name }
      return String(name[..<own] + name[end...])
    }

    /// The function that a closure or a local function is in.
    static func around(_ name: String) -> String {
      // Not the ` in ` within brackets, as of `(extension in App)`.
      var depth = 0
      var begin = name.startIndex
      for index in name.indices {
        switch name[index] {
        case "(", "<", "[": depth += 1
        case ")", ">", "]": depth -= 1
        case " " where depth == 0 && name[index...].hasPrefix(" in "):
          begin = name.index(index, offsetBy: 4)
        default: break
        }
      }
      return String(name[begin...])
    }

    /// Whether the name is one of those that libraries give to the functions of their locks.
    var isNamedAsLock: Bool {
      let last = name.prefix { $0 != "(" && $0 != "<" }.split(separator: ".").last ?? ""
      return Self.lockNames.contains(String(last))
        || ["withLock", "withReaderLock", "withWriterLock", "locked"].contains(where: last.hasPrefix)
    }

    private static let lockNames: Set<String> = [
      "lock", "unlock", "tryLock", "lockBefore", "readLock", "writeLock", "lockRead", "lockWrite",
      "synchronized", "withCriticalRegion", "withUnsafeLock", "__gthread_mutex_lock",
      "__gthread_mutex_unlock",
    ]
  }
}

extension CallSite.Frame {
  var function: CallSite.Function { CallSite.Function(place) }
}

extension CallSite {
  /// Reads the frames of stacks: those of the user's code that have a line.
  static func frames(_ stack: [UInt]) -> [Frame] {
    namedFrames(stack).compactMap { named in
      let place = named.frame
      guard place.line ?? 0 > 0, !place.isSystem else { return nil }
      switch place.file.flatMap(OwnCode.part(ofFile:)) {
      case .harness, .interposition: return nil
      default: return Frame(place: place, takesFunction: named.takesFunction)
      }
    }
  }
}
