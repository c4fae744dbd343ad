import CInterlockAnalysis
import CInterlockEvents
import Foundation
import Interlock

extension CodeJudge {
  /// A report line with the first place of uncontrolled synchronisation in the code that a module
  /// reaches; `nil` for none.
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
    // On x86, release stores and acquire loads are plain instructions. The symbols of their types
    // remain.
    let uses = synchronizationSymbols.filter {
      !$0.isOfMutexAlone && $0.isDeclared(in: module) && reach.contains($0.symbol)
    }
    let local = uses.isEmpty ? localAtomic(in: module, within: reach) : nil
    if uses.isEmpty, local == nil { return nil }
    // The operations of an `AtomicLazyReference` are library functions, which the explorer does not
    // control.
    if calls.areMade(by: modules.functions[module] ?? []) {
      let uses = uses.filter(\.isOfLazyReference)
      return uses.isEmpty ? nil : UncontrolledPlace(.lazyReference, in: uses).text(in: module)
    }
    return (local ?? UncontrolledPlace(.atomics, in: uses)).text(in: module)
  }

  /// The first function with an atomic in a local variable.
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

/// An instruction that synchronises, or that cannot be read.
struct UncontrolledPlace {
  enum Kind: String {
    case mutex = "Mutex"
    case lazyReference = "AtomicLazyReference"
    case atomics
    case unreadable
  }

  private let kind: Kind
  private let frames: [StackFrame]
  /// The name of a stored property, for an atomic that only symbols show.
  private var property: String?

  /// Finds the first such place in a function, by the index of its symbol; `nil` if there is none.
  init?(inSymbol index: Int, _ calls: AtomicCalls = .ofThisExecutable) {
    var function = interlock_code_function()
    var address: UInt = 0
    guard interlock_code_function_at(index, &function) else { return nil }
    let finding = interlock_locate_uncontrolled(index, &address)
    switch finding {
    // Add one byte, as a return address comes after its call.
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

  /// Creates the place of an atomic whose type the instruction before an address refers to. If the
  /// instruction has no line, for example because it creates a variable's box, the function's line
  /// is used.
  init(atomicAt address: UInt, in function: interlock_code_function) {
    kind = .atomics
    frames = Interlock.symbolicate([address, function.start + 1])
  }

  /// Uses the first function among some symbols that has a line, or the first property. The
  /// accessors of a property have no line.
  init(_ kind: Kind, in symbols: [SynchronizationSymbol]) {
    self.kind = kind
    property = symbols.lazy.compactMap(\.property).first
    frames = Interlock.symbolicate(
      symbols.compactMap { symbol in
        var function = interlock_code_function()
        return interlock_code_function_at(symbol.index, &function) ? function.start + 1 : nil
      })
  }

  /// True if the place is in a source file of this package.
  var isOwn: Bool { frames.contains { $0.file.map(OwnCode.isInPackage(file:)) ?? false } }

  /// `Mutex in module Bank (Bank.swift:12)`, or `atomics in module Bank (Flag.isSet)`
  func text(in module: String) -> String {
    let place = (Self.line(frames) ?? property).map { " (\($0))" } ?? ""
    return kind == .unreadable
      ? "code of module \(module) that cannot be read\(place)"
      : "\(kind.rawValue) in module \(module)\(place)"
  }

  /// `Bank.swift:12`, for the first frame that has a line.
  private static func line(_ frames: [StackFrame]) -> String? {
    guard let frame = frames.first(where: { $0.line ?? 0 > 0 }), let line = frame.line else {
      return nil
    }
    return frame.file?.split(separator: "/").last.map { "\($0):\(line)" }
  }

  /// True if code at a line belongs to a `Mutex`. A `Mutex` is inlined except for its slow path,
  /// which is a call at the same line.
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

/// The functions that instrumented code calls for its memory accesses.
struct AtomicCalls {
  /// The functions for atomics, except loads and stores, which are plain instructions in other
  /// builds; and all functions.
  private var changes: Set<UInt> = []
  private var all: Set<UInt> = []
  /// True if these functions lead to the explorer, and not to versions that check nothing.
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

  /// The return address of a function's first call that changes an atomic without control; `nil` if
  /// there is none.
  func first(in function: interlock_code_function) -> UInt? {
    areControlled || changes.isEmpty ? nil : Self.call(in: function, of: changes)
  }

  /// True if the code of most of these functions (indices of symbols) calls the explorer: then all
  /// loads and stores of atomics do so too. A few functions have no accesses, or are copies from
  /// another module.
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
