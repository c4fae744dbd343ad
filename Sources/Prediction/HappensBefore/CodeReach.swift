import CInterlockAnalysis
import Interlock

/// The modules of this executable whose code a module's code can come to.
///
/// A module counts if code that counts refers to it: calls or jumps to a function of it, or has the
/// address of a function or of data. The reading is of machine code, in one direction: a module
/// that uses this one is not reached. A module counts as a whole, since the methods of an object
/// are called by pointers: the code that made the object refers to its module.
struct CodeReach {
  /// The modules: the first one, then each after one that refers to it.
  private(set) var modules: [String] = []
  private var known: Set<String> = []

  private let all: CodeModules
  /// By the index of a symbol: whether code that counts refers to it.
  private var seen: [Bool]
  /// Functions without a module that are still to be read: the compiler's, and those of C.
  private var others: [Int] = []
  /// Functions with the symbol of one module that another one declares, in an extension: they count
  /// if that one does.
  private var waiting: [String: [Int]] = [:]

  init(from module: String, in all: CodeModules) {
    self.all = all
    seen = Array(repeating: false, count: interlock_code_symbol_count())
    known.insert(module)
    modules.append(module)
    #if arch(x86_64)
    var next = 0
    while next < modules.count {
      let module = modules[next]
      next += 1
      for index in all.functions[module] ?? [] { read(index, of: module) }
      for index in waiting.removeValue(forKey: module) ?? [] { read(index, of: module) }
      while let index = others.popLast() { read(index, of: nil) }
    }
    #else
    // No reference is read: in doubt, each module counts.
    for module in all.functions.keys.sorted() { add(module) }
    #endif
  }

  /// Whether a function of a module that counts is itself of such a module.
  func contains(_ symbol: String) -> Bool { all.owner(of: symbol).map(known.contains) ?? true }

  private mutating func read(_ index: Int, of module: String?) {
    var function = interlock_code_function()
    guard interlock_code_function_at(index, &function) else { return }
    let own = module.map { "$s\($0.utf8.count)\($0)" }
    var isChecked = module == nil
    var (offset, target, symbol) = (0, UInt(0), 0)
    var name: UnsafePointer<CChar>?
    while interlock_code_next_reference(&function, &offset, &target) {
      guard interlock_code_symbol_with(target, &symbol, &name), let name, !seen[symbol] else {
        continue
      }
      let text = String(cString: name)
      if let own, text.hasPrefix(own) { continue }
      // Only now, since it takes microseconds.
      if !isChecked, let owner = all.owner(of: String(cString: function.name)),
        !known.contains(owner)
      {
        waiting[owner, default: []].append(index)
        return
      }
      isChecked = true
      seen[symbol] = true
      note(symbol, text)
    }
  }

  private mutating func note(_ index: Int, _ symbol: String) {
    if let module = all.module(of: symbol) {
      add(module)
      if let owner = all.owner(of: symbol) { add(owner) }
    } else if let name = interlock_code_symbol_at(index), name[0] != 0 {
      if !symbol.hasPrefix("interlock_") { others.append(index) }
    } else {
      // Data about types of several modules.
      let named = SymbolNames.modules(in: symbol)
      for module in named.sorted() where all.functions[module] != nil { add(module) }
    }
  }

  private mutating func add(_ module: String) {
    guard OwnCode.part(ofModule: module) == nil, known.insert(module).inserted else { return }
    modules.append(module)
  }
}
