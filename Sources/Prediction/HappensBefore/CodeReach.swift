import CInterlockAnalysis
import Interlock

/// The modules of this executable that a module's code can reach.
///
/// A module is reached if reached code refers to it: calls or jumps to one of its functions, or has
/// the address of one of its functions or of its data. References are read from machine code, in
/// one direction: modules that use the first one are not reached. Modules are reached as a whole,
/// because methods are called through pointers: the code that created the object refers to its
/// module.
struct CodeReach {
  /// The reached modules: the first one, and each other one after a module that refers to it.
  private(set) var modules: [String] = []
  private var known: Set<String> = []

  private let all: CodeModules
  /// True for each symbol that reached code refers to, by the symbol's index.
  private var seen: [Bool]
  /// Functions without a module that are still unread: C functions and generated ones.
  private var others: [Int] = []
  /// Functions in an extension: their symbol has the module of the type, but another module
  /// declares them. They are read when the declaring module is reached.
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
    // References can only be read on x86-64. Elsewhere, every module counts as reached.
    for module in all.functions.keys.sorted() { add(module) }
    #endif
  }

  /// True if the module that declares a function is reached, or is unknown.
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
      // Checked as late as possible: it takes microseconds.
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
      // The symbol is data about types of several modules.
      let named = SymbolNames.modules(in: symbol)
      for module in named.sorted() where all.functions[module] != nil { add(module) }
    }
  }

  private mutating func add(_ module: String) {
    guard OwnCode.part(ofModule: module) == nil, known.insert(module).inserted else { return }
    modules.append(module)
  }
}
