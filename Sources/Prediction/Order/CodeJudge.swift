import CInterlockEvents
import CInterlockPrediction

/// Says whether code may synchronise in a way that no event shows: by atomics, or by a `Mutex`, whose fast path is compiled
/// into the code that uses it.
///
/// By modules: who hands something over by an atomic does so anywhere in its own module, not only in the functions on the
/// stack. Not for use by several threads at once.
struct CodeJudge {
  /// Why nothing can be said of some code: a line for people.
  typealias Doubt = String

  private var known: [String: Doubt?] = [:]

  /// Modules whose code orders nothing for others, or tells of it by events.
  private static let own: Set<String> = [
    "Interlock", "StressRunner", "InterlockStress", "WaitGraph", "Prediction",
    "InterlockWatchdog", "Testing", "XCTest",
  ]
  private static let ownTool = "InterlockTool"
  /// Judged by types: a strategy built on atomics tells of itself, or does not.
  private static let strategies = "LockStrategies"
  private static let telling: Set<String> = ["14LockStrategies24StandardLibraryMutexLock"]
  private static let ownFunctions: Set<String> = ["main", "_start"]
  private static let ownPrefixes = ["interlock_", "swift_", "__"]

  /// The doubt about the code on a stack, innermost frame first; `nil` for none.
  mutating func doubt(about addresses: [UInt]) -> Doubt? {
    var isInnermost = true
    for address in addresses where interlock_events_is_users(address) {
      // Before the address to which a call returns, which may be the next function's.
      guard let symbol = Self.symbol(address - 1) else { return "code without symbols" }
      guard let module = Self.module(of: symbol) else {
        if Self.isOwn(function: symbol) { continue }
        return "'\(symbol)' is a function of C"
      }
      if Self.telling.contains(module.mangled) { continue }
      if Self.own.contains(module.name) || module.name == Self.ownTool && !isInnermost { continue }
      isInnermost = false
      if let doubt = doubt(about: module) { return doubt }
    }
    return nil
  }

  /// The first function on a stack, innermost frame first, that has atomics of its own: whoever is in `withLock` of a
  /// `Mutex` is in such a function, for `withLock` is compiled into it. `nil` for none.
  mutating func functionWithAtomics(on addresses: [UInt]) -> String? {
    for address in addresses where interlock_events_is_users(address) {
      guard let symbol = Self.symbol(address - 1), let module = Self.module(of: symbol),
        !Self.telling.contains(module.mangled), !Self.own.contains(module.name)
      else { continue }
      if doubt(about: Module(name: module.name, mangled: symbol)) != nil { return symbol }
    }
    return nil
  }

  /// A module, as symbols have it: `Bank`, and `4Bank`.
  private struct Module {
    var name: String
    var mangled: String
  }

  private mutating func doubt(about module: Module) -> Doubt? {
    if let doubt = known[module.mangled] { return doubt }
    let found = Self.scan(module)
    known[module.mangled] = .some(found)
    return found
  }

  private static func scan(_ module: Module) -> Doubt? {
    withText { text, capacity in
      let finding = interlock_scan_functions(module.mangled, text, capacity)
      let function = String(cString: text)
      return switch finding {
      case INTERLOCK_CODE_PLAIN: nil
      case INTERLOCK_CODE_ATOMIC:
        "module \(module.name) has atomics or a Mutex of its own, as in '\(function)'"
      default: "module \(module.name) has code that cannot be read, as in '\(function)'"
      }
    }
  }

  private static func symbol(_ address: UInt) -> String? {
    withText { text, capacity in
      interlock_code_symbol(address, text, capacity) ? String(cString: text) : nil
    }
  }

  private static func withText<R>(_ body: (UnsafeMutablePointer<CChar>, Int) -> R) -> R {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
      buffer.initialize(repeating: 0)
      // A temporary allocation that is not empty has an address.
      return body(buffer.baseAddress.unsafelyUnwrapped, buffer.count)
    }
  }

  /// The module of a Swift function that is not one of the compiler's between two others, whose symbols begin otherwise;
  /// `nil` for a function of C.
  private static func module(of symbol: String) -> Module? {
    guard symbol.hasPrefix("$s") else { return nil }
    let rest = symbol.dropFirst(2)
    guard let module = identifier(rest) else { return Module(name: "Interlock", mangled: "") }
    let name = String(module.drop { $0.isNumber })
    guard name == strategies, let type = identifier(rest.dropFirst(module.count)) else {
      return Module(name: name, mangled: String(module))
    }
    return Module(name: name, mangled: String(module + type))
  }

  /// The identifier that mangled text begins with, with its length before it; `nil` for none.
  private static func identifier(_ text: Substring) -> Substring? {
    let digits = text.prefix { $0.isNumber }
    guard let length = Int(digits), length > 0 else { return nil }
    return text.prefix(digits.count + length)
  }

  private static func isOwn(function: String) -> Bool {
    ownFunctions.contains(function) || ownPrefixes.contains { function.hasPrefix($0) }
  }
}
