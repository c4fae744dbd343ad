import CMarks
import CInterlockAnalysis
import CInterlockEvents
import Interlock

/// Decides whether code may synchronise without an event: by atomics, or by a `Mutex`, whose fast
/// path is inlined into the calling code.
///
/// Whole modules are judged: the atomics may be anywhere in the module of a function on the stack,
/// or in a module that this module uses. Not thread-safe.
struct CodeJudge {
  /// The reason why the order of some code is unknown: a line for the report.
  typealias Doubt = String

  private(set) lazy var modules = CodeModules()
  private(set) lazy var synchronizationSymbols = SynchronizationSymbol.all()
  private(set) lazy var localAtomics = LocalAtomics(synchronizationSymbols)
  private var known: [String: Doubt?] = [:]
  private var knownFunctions: [String: Bool] = [:]
  /// Known places, by the module of the body.
  var knownPlaces: [String: String?] = [:]

  private static let ownFunctions: Set<String> = ["main", "_start"]
  private static let ownPrefixes = ["interlock_", "swift_", "__"]

  /// The doubt about the code on a stack, innermost frame first; `nil` for none.
  mutating func doubt(about addresses: [UInt]) -> Doubt? {
    var isInnermost = true
    for address in addresses where interlock_events_is_users(address) {
      // Subtract one byte: the return address may belong to the next function.
      guard let symbol = Self.symbol(address - 1) else { return "there is code without symbols" }
      guard symbol.hasPrefix("$s") || modules.module(of: symbol) != nil else {
        if Self.isOwn(function: symbol) || Self.isOwn(codeAt: address) { continue }
        return "'\(symbol)' is a function of C"
      }
      guard let module = modules.module(of: symbol) else { continue }
      switch OwnCode.part(ofModule: module) {
      case nil: break
      case .locks:
        if hasAtomics(symbol) { return "module \(module) has a lock of atomics, '\(symbol)'" }
        continue
      case .executable: if !isInnermost { continue }
      // Other code of this package orders nothing, or events show what it orders.
      default: continue
      }
      isInnermost = false
      if let doubt = doubt(about: module) { return doubt }
    }
    return isInnermost ? "no stack was kept" : nil
  }

  /// True for a stack in a deinitialiser. It runs after all other uses of the object, although no
  /// event shows that order.
  func isInDeinit(_ addresses: [UInt]) -> Bool {
    addresses.contains { address in
      guard interlock_events_is_users(address), let symbol = Self.symbol(address - 1) else {
        return false
      }
      return symbol.hasPrefix("$s") && (symbol.hasSuffix("fD") || symbol.hasSuffix("fd"))
    }
  }

  /// True if a function on a stack has atomics itself. `withLock` of a `Mutex` is inlined into its
  /// caller.
  mutating func isInAtomics(_ addresses: [UInt]) -> Bool {
    addresses.contains { address in
      guard interlock_events_is_users(address), let symbol = Self.symbol(address - 1),
        let module = modules.module(of: symbol)
      else { return false }
      switch OwnCode.part(ofModule: module) {
      case nil, .locks, .executable: break
      default: return false
      }
      return hasAtomics(symbol)
    }
  }

  private mutating func hasAtomics(_ symbol: String) -> Bool {
    if let known = knownFunctions[symbol] { return known }
    let found = Self.withText { interlock_scan_functions(symbol, $0, $1) } != INTERLOCK_CODE_PLAIN
    knownFunctions[symbol] = found
    return found
  }

  mutating func doubt(about module: String) -> Doubt? {
    if let doubt = known[module] { return doubt }
    // Mark the module first: modules may use each other.
    known[module] = .some(nil)
    var found = ownDoubt(about: module)
    for other in modules(beside: module) where found == nil { found = doubt(about: other) }
    if found == nil {
      // Also read the machine code: symbols abbreviate the names of some modules that this one
      // uses.
      for reached in CodeReach(from: module, in: modules).modules where found == nil {
        found = ownDoubt(about: reached)
      }
    }
    known[module] = .some(found)
    return found
  }

  /// The user's other modules that a symbol mentions together with this one. One of them uses the
  /// other, and either may order two accesses.
  private mutating func modules(beside module: String) -> [String] {
    modules.functions.keys.sorted().filter { other in
      other != module && OwnCode.part(ofModule: other) == nil
        && Self.symbols(Self.mangled(module), Self.mangled(other)).contains { _ in true }
    }
  }

  /// The executable's symbols, of functions and data, that contain both texts.
  static func symbols(_ part: String, _ other: String) -> some Sequence<String> {
    var index = 0
    return AnyIterator {
      interlock_code_next_mention(part, other, &index).map(String.init(cString:))
    }
  }

  private mutating func ownDoubt(about module: String) -> Doubt? {
    // On x86, release stores and acquire loads are plain instructions. The symbols of their types
    // remain.
    if synchronizationSymbols.contains(where: { $0.names(module) }) || hasLocalAtomics(module) {
      return "module \(module) uses Synchronization"
    }
    for index in modules.functions[module] ?? [] {
      switch interlock_scan_symbol(index) {
      case INTERLOCK_CODE_PLAIN: continue
      case INTERLOCK_CODE_ATOMIC:
        return "module \(module) has atomics or a Mutex of its own, as in '\(Self.name(index))'"
      default: return "module \(module) has code that cannot be read, as in '\(Self.name(index))'"
      }
    }
    return nil
  }

  private mutating func hasLocalAtomics(_ module: String) -> Bool {
    let found = localAtomics
    return (modules.functions[module] ?? []).contains { index in
      var function = interlock_code_function()
      return interlock_code_function_at(index, &function) && found.first(in: function) != nil
    }
  }

  private static func mangled(_ module: String) -> String { "\(module.utf8.count)\(module)" }

  static func name(_ index: Int) -> String {
    interlock_code_symbol_at(index).map { String(cString: $0) } ?? ""
  }

  static func symbol(_ address: UInt) -> String? {
    withText { text, capacity in
      interlock_code_symbol(address, text, capacity) ? String(cString: text) : nil
    }
  }

  private static func withText<R>(_ body: (UnsafeMutablePointer<CChar>, Int) -> R) -> R {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
      buffer.initialize(repeating: 0)
      // The base address of a non-empty temporary allocation is never null.
      return body(buffer.baseAddress.unsafelyUnwrapped, buffer.count)
    }
  }

  /// True if a C function is the project's, by its source file; false without debug information.
  private static func isOwn(codeAt address: UInt) -> Bool {
    let frame = Interlock.symbolicate([address]).first
    return frame?.file.map { OwnCode.part(ofFile: $0) != nil } ?? false
  }

  private static func isOwn(function: String) -> Bool {
    ownFunctions.contains(function) || ownPrefixes.contains { function.hasPrefix($0) }
  }
}
