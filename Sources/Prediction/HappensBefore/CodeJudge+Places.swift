import CInterlockAnalysis
import CInterlockEvents
import Foundation
import Interlock

extension CodeJudge {
  /// The first place where code that a module's code can come to synchronises by itself: a line for
  /// a report.
  mutating func uncontrolledPlace(in module: String) -> String? {
    if let known = knownPlaces[module] { return known }
    let reach = CodeReach(from: module, in: modules)
    let calls = AtomicCalls.ofThisExecutable
    var place: String?
    for reached in reach.modules where place == nil {
      place = firstPlace(in: reached, within: reach, calls)
    }
    knownPlaces[module] = .some(place)
    return place
  }

  private mutating func firstPlace(
    in module: String, within reach: CodeReach, _ calls: AtomicCalls
  ) -> String? {
    for index in modules.functions[module] ?? [] {
      guard let found = UncontrolledPlace(inSymbol: index, calls), reach.contains(Self.name(index)),
        !found.isOwn
      else { continue }
      return found.text(in: module)
    }
    // On x86, release stores and acquire loads are plain instructions, but their types are visible.
    let uses = synchronizationSymbols.filter {
      !$0.isOfMutexAlone && $0.isDeclared(in: module) && reach.contains($0.symbol)
    }
    let local = uses.isEmpty ? localAtomic(in: module, within: reach) : nil
    if uses.isEmpty, local == nil { return nil }
    // The operations of an AtomicLazyReference are functions of the library.
    if calls.areMade(by: modules.functions[module] ?? []) {
      let uses = uses.filter(\.isOfLazyReference)
      return uses.isEmpty ? nil : UncontrolledPlace(.lazyReference, in: uses).text(in: module)
    }
    return (local ?? UncontrolledPlace(.atomics, in: uses)).text(in: module)
  }

  /// The first code with an atomic in a local variable.
  private mutating func localAtomic(
    in module: String, within reach: CodeReach
  ) -> UncontrolledPlace? {
    let atomics = localAtomics
    for index in modules.functions[module] ?? [] {
      var function = interlock_code_function()
      guard interlock_code_function_at(index, &function), let address = atomics.first(in: function),
        reach.contains(Self.name(index))
      else { continue }
      let place = UncontrolledPlace(atomicAt: address, in: function)
      if !place.isOwn { return place }
    }
    return nil
  }
}

/// An instruction by which code synchronises, or one that cannot be read.
struct UncontrolledPlace {
  enum Kind: String {
    case mutex = "Mutex"
    case lazyReference = "AtomicLazyReference"
    case atomics
    case unreadable
  }

  private let kind: Kind
  private let frames: [StackFrame]
  /// The name of a stored property, for atomics that only symbols show.
  private var property: String?

  /// The first one of a function, by the index of its symbol; `nil` if there is none.
  init?(inSymbol index: Int, _ calls: AtomicCalls = .ofThisExecutable) {
    var function = interlock_code_function()
    var address: UInt = 0
    guard interlock_code_function_at(index, &function) else { return nil }
    let finding = interlock_locate_uncontrolled(index, &address)
    switch finding {
    // As a return address, which is behind its call.
    case INTERLOCK_CODE_ATOMIC: address += 1
    case INTERLOCK_CODE_PLAIN:
      guard let call = calls.first(in: function) else { return nil }
      address = call
    default: address += 1
    }
    frames = Interlock.symbolicate([address])
    if finding == INTERLOCK_CODE_UNREADABLE {
      kind = .unreadable
    } else {
      kind = Self.isOfMutex(Self.line(frames), in: function) ? .mutex : .atomics
    }
  }

  /// An atomic to whose type the instruction before an address refers. Where the instruction has no
  /// line, as one that makes the box of a variable, the function's line is shown.
  init(atomicAt address: UInt, in function: interlock_code_function) {
    kind = .atomics
    frames = Interlock.symbolicate([address, function.start + 1])
  }

  /// The first function of some symbols that has a line, or the first property: a property's own
  /// functions have no line.
  init(_ kind: Kind, in symbols: [SynchronizationSymbol]) {
    self.kind = kind
    property = symbols.lazy.compactMap(\.property).first
    frames = Interlock.symbolicate(
      symbols.compactMap { symbol in
        var function = interlock_code_function()
        return interlock_code_function_at(symbol.index, &function) ? function.start + 1 : nil
      })
  }

  /// Whether it is in a source file of this package.
  var isOwn: Bool { frames.contains { $0.file.map(OwnCode.isInPackage(file:)) ?? false } }

  /// `Mutex in module Bank (Bank.swift:12)`, or `atomics in module Bank (Flag.isSet)`
  func text(in module: String) -> String {
    let place = (Self.line(frames) ?? property).map { " (\($0))" } ?? ""
    return kind == .unreadable
      ? "code of module \(module) that cannot be read\(place)"
      : "\(kind.rawValue) in module \(module)\(place)"
  }

  /// `Bank.swift:12`, of the first frame that has a line.
  private static func line(_ frames: [StackFrame]) -> String? {
    guard let frame = frames.first(where: { $0.line ?? 0 > 0 }), let line = frame.line else {
      return nil
    }
    return frame.file?.split(separator: "/").last.map { "\($0):\(line)" }
  }

  /// Whether code at a line is that of a `Mutex`, which is inlined but for its slow path: a call at
  /// the same line.
  private static func isOfMutex(_ line: String?, in function: interlock_code_function) -> Bool {
    var function = function
    var (offset, target, index) = (0, UInt(0), 0)
    var name: UnsafePointer<CChar>?
    while interlock_code_next_reference(&function, &offset, &target) {
      let isHere = interlock_code_symbol_with(target, &index, &name)
      guard let symbol = isHere ? name : interlock_code_import_at(target) else { continue }
      let text = String(cString: symbol)
      guard
        text.hasPrefix("$s15Synchronization5Mutex") || text.hasPrefix("$s15Synchronization12_Mutex")
      else { continue }
      guard let line else { return true }
      if Self.line(Interlock.symbolicate([function.start + UInt(offset)])) == line { return true }
    }
    return false
  }
}

/// The functions that instrumented code calls for its accesses of memory.
struct AtomicCalls {
  /// Those for atomics, but for loads and stores, which are plain instructions elsewhere; and all.
  private var changes: Set<UInt> = []
  private var all: Set<UInt> = []
  /// Whether these functions lead to the explorer, and not to those that check nothing.
  private var areControlled: Bool { interlock_atomics_are_controlled() }

  static let ofThisExecutable = AtomicCalls()

  private init() {
    for index in 0..<interlock_code_symbol_count() {
      var function = interlock_code_function()
      guard let name = interlock_code_symbol_at(index) else { continue }
      guard name[0] == 0x5f, name[1] == 0x5f, interlock_code_function_at(index, &function) else {
        continue
      }
      let text = String(cString: name)
      if text.hasPrefix("__tsan_") { all.insert(function.start) }
      if text.hasPrefix("__tsan_atomic"), !text.hasSuffix("_load"), !text.hasSuffix("_store") {
        changes.insert(function.start)
      }
    }
  }

  /// The return address of a function's first change of an atomic that is not controlled; `nil` if
  /// it has none.
  func first(in function: interlock_code_function) -> UInt? {
    areControlled || changes.isEmpty ? nil : Self.call(in: function, of: changes)
  }

  /// Whether the code of most functions, by the indexes of their symbols, leads to the explorer:
  /// then so do all loads and stores of atomics. A few functions have none of their own, or are
  /// copies that another module has.
  func areMade(by functions: [Int]) -> Bool {
    guard areControlled else { return false }
    var (calling, instrumented) = (0, 0)
    for index in functions {
      var function = interlock_code_function()
      var (offset, returnsTo, target) = (0, UInt(0), UInt(0))
      guard interlock_code_function_at(index, &function),
        interlock_code_next_call(&function, &offset, &returnsTo, &target)
      else { continue }
      calling += 1
      if Self.call(in: function, of: all) != nil { instrumented += 1 }
    }
    return 2 * instrumented > calling
  }

  private static func call(in function: interlock_code_function, of targets: Set<UInt>) -> UInt? {
    var function = function
    var (offset, returnsTo, target) = (0, UInt(0), UInt(0))
    while interlock_code_next_call(&function, &offset, &returnsTo, &target) {
      if targets.contains(target) { return returnsTo }
    }
    return nil
  }
}
