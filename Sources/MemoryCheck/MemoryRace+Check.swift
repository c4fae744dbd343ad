internal import CInterlockMemory
internal import Interlock
internal import ProcessInspection

extension MemoryRace {
  /// Converts a race from the check; its stacks have functions and lines.
  init(_ race: interlock_memory_race) {
    self.init(first: Side(race.before), second: Side(race.now))
  }

  /// True if one of the accesses is in this package's own code.
  var isOwn: Bool {
    [first, second].contains { side in
      side.stack.first { $0.ownPart != nil || !$0.isSystem }?.ownPart != nil
    }
  }
}

extension MemoryRace {
  /// The race with the variable's name, and with lines for accesses that lack them. Takes tens of
  /// milliseconds in a large executable.
  func withNames() -> MemoryRace {
    let address = second.address
    return withLines(variable: GlobalName.at(address) ?? PropertyName.at(address))
  }

  /// Like `withNames`, with a given variable name.
  func withLines(variable: String?) -> MemoryRace {
    var race = self
    race.first.findLine()
    race.second.findLine()
    race.variable = variable
    return race
  }
}

extension MemoryRace.Side {
  fileprivate mutating func findLine() {
    guard let access = stack.first, access == place, access.line ?? 0 == 0,
      let found = symbolicateAccess(access.address)
    else { return }
    place = found
    stack[0] = found
  }

  fileprivate init(_ side: interlock_memory_side) {
    // Leave out the interposed calls through which a queue calls its blocks.
    let stack = symbolicate(Self.addresses(of: side)).filter { $0.ownPart != .interposition }
    self.init(
      isWrite: side.is_write, address: side.address, size: Int(side.size),
      thread: side.thread == 0 ? nil : Int(side.thread),
      place: stack.first { !$0.isSystem } ?? stack.first ?? StackFrame(address: 0), stack: stack)
    exploredThread = side.explored_thread == 0 ? nil : Int(side.explored_thread) - 1
    isAtomic = side.is_atomic
    isKnown = side.is_known
    task = side.task == 0 ? nil : side.task
    let queue = Self.text(side.queue)
    self.queue = queue.isEmpty ? nil : queue
    locks = Self.held(by: side).map { held in
      MemoryRace.Lock(
        object: "0x" + String(held.object, radix: 16),
        place: held.place == 0 ? nil : Self.place(of: held), isShared: held.is_shared)
    }
  }

  /// The user's line that acquired a lock: the call site, or the caller of the function with the
  /// call.
  private static func place(of held: interlock_memory_held) -> StackFrame? {
    let frames = symbolicate([held.place, held.outer].filter { $0 != 0 })
    return frames.first { !$0.isSystem } ?? frames.first
  }

  static func addresses(of side: interlock_memory_side) -> [UInt] {
    var frames = side.frames
    let count = Int(side.frame_count)
    return withUnsafeBytes(of: &frames) { bytes in
      bytes.bindMemory(to: UInt.self).prefix(count).map { $0 }
    }
  }

  private static func held(by side: interlock_memory_side) -> [interlock_memory_held] {
    var held = side.held
    let count = Int(side.held_count)
    return withUnsafeBytes(of: &held) { bytes in
      bytes.bindMemory(to: interlock_memory_held.self).prefix(count).map { $0 }
    }
  }

  /// The text of a zero-terminated array of characters.
  private static func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
