internal import SectionTable

/// Turns addresses of this process into functions and lines. Slow (milliseconds at first, then
/// microseconds per stack), so only for reports. Safe from any thread.
final class Symbolicator: Sendable {
  static let shared = Symbolicator()

  private struct State {
    /// Another process that symbolicates for this one; `nil` for none.
    var source: SymbolSource?
    /// The known frames of each address. The stacks of a report share most of their addresses.
    var known: [UInt: [NamedFrame]] = [:]
    /// The lines found for addresses that have none themselves.
    var neighbours: [UInt: NeighbouringLines.Location] = [:]

    func unknown(of addresses: [UInt]) -> [UInt] {
      Array(Set(addresses.filter { known[$0] == nil }))
    }

    func frames(of addresses: [UInt]) -> [NamedFrame] { addresses.flatMap { known[$0] ?? [] } }

    /// The paths of files that use macros, by file name: symbols have only the name.
    private var paths: [String: String] = [:]

    mutating func note(_ named: NamedFrame) {
      guard let path = named.frame.file, let slash = path.lastIndex(of: "/") else { return }
      paths[String(path[path.index(after: slash)...])] = path
    }

    /// The frame, moved to the line that uses the macro if it is in an expansion.
    func outsideMacros(_ named: NamedFrame) -> NamedFrame {
      guard let use = named.frame.file.flatMap(MacroPlace.use) else { return named }
      var named = named
      (named.frame.file, named.frame.line) = (paths[use.file] ?? use.file, use.line)
      named.column = nil
      return named
    }
  }

  /// Held only briefly: a caller whose frames are known does not wait for another caller's.
  private let state = Guarded(State())
  /// Held while the toolchain reads debug information, which may take seconds.
  private let reading = Guarded(())

  /// The frames of a stack for a report, without the tracker's own frames.
  func frames(_ addresses: [UInt]) -> [StackFrame] {
    named(addresses).drop(while: \.isTrackers).map(\.frame)
  }

  /// The access shown by the stack of a property's section.
  func access(in addresses: [UInt]) -> PropertyAccess {
    PropertyAccess(of: named(addresses), location: neighbour)
  }

  /// The frame of an access. A call that begins a mutation in place has no line, and gets the line
  /// of the code next to it.
  func accessFrame(_ address: UInt) -> StackFrame? {
    named([address]).first.map(located)
  }

  /// The frames of waits. A task continues in a separate function, whose first instruction may have
  /// no line, as in a loop over a throwing group. It gets the line of the code next to it.
  func waitFrames(_ addresses: [UInt]) -> [StackFrame] {
    var searched: Set<UInt> = []
    return named(addresses).map { named in
      guard named.resumesTask, !named.hasLine, !named.isLibrarys,
        searched.count < Self.mostSearched
      else { return named.frame }
      searched.insert(named.frame.address)
      return located(named)
    }
  }

  /// The most addresses of a report for which neighbouring code is searched for a line. Each takes
  /// tens of milliseconds.
  private static let mostSearched = 16

  private func located(_ named: NamedFrame) -> StackFrame {
    guard !named.hasLine, let near = neighbour(of: named) else { return named.frame }
    var frame = named.frame
    frame.file = near.file
    frame.line = near.line
    return frame
  }

  private func neighbour(of frame: NamedFrame) -> NeighbouringLines.Location? {
    let address = frame.frame.address
    if let known = state.withLock({ $0.neighbours[address] }) { return known }
    let lines = NeighbouringLines { addresses in
      self.reading.withLock { _ in self.read(addresses) }
    }
    let found = lines.location(of: frame)
    state.withLock { $0.neighbours[address] = found }
    return found
  }

  func ask(_ source: @escaping SymbolSource) { state.withLock { $0.source = source } }

  /// Every frame, with its mangled symbol.
  func named(_ addresses: [UInt]) -> [NamedFrame] {
    let known = state.withLock {
      $0.unknown(of: addresses).isEmpty ? $0.frames(of: addresses) : nil
    }
    if let known { return known }
    return reading.withLock { _ in
      // Check again: another thread may have read some of the addresses meanwhile.
      let unknown = state.withLock { $0.unknown(of: addresses) }
      let found = unknown.isEmpty ? [] : read(unknown)
      return state.withLock { state in
        for address in unknown { state.known[address] = [] }
        for named in found { state.known[named.frame.address, default: []].append(named) }
        return state.frames(of: addresses)
      }
    }
  }

  /// Reads the frames of addresses. Call it under the lock `reading`.
  private func read(_ addresses: [UInt]) -> [NamedFrame] {
    let found = readAsCompiled(addresses)
    return state.withLock { state in
      // Collect all paths first: the frame that calls a macro's code comes after it.
      for named in found { state.note(named) }
      return found.map { state.outsideMacros($0) }
    }
  }

  private func readAsCompiled(_ addresses: [UInt]) -> [NamedFrame] {
    guard let source = state.withLock({ $0.source }) else {
      return PlatformImages.frames(addresses)
    }
    let found = source(addresses)
    let named = Set(found.map(\.frame.address))
    let others = addresses.filter { !named.contains($0) }
    return others.isEmpty ? found : found + PlatformImages.frames(others, onOwnThread: false)
  }
}

/// The innermost frame of a memory access. Like `symbolicate`, but slower if the frame has no line.
package func symbolicateAccess(_ address: UInt) -> StackFrame? {
  Symbolicator.shared.accessFrame(address)
}

/// Turns return addresses of this process into functions and lines, innermost first.
///
/// An address has several frames if functions were inlined. Safe from any thread.
package func symbolicate(_ addresses: [UInt]) -> [StackFrame] {
  Symbolicator.shared.named(addresses).map(\.frame)
}

/// Like `symbolicate`, with the data that another process needs for its own reports.
package func namedFrames(_ addresses: [UInt]) -> [NamedFrame] {
  Symbolicator.shared.named(addresses)
}

/// Symbolicates addresses of this process elsewhere. Returns the frames that it can name.
package typealias SymbolSource = @Sendable ([UInt]) -> [NamedFrame]

/// From now on, asks `source` first, so that this process starts no thread to symbolicate.
package func symbolicate(by source: @escaping SymbolSource) { Symbolicator.shared.ask(source) }

/// The system thread id of the symbolicating thread; `nil` while there is none.
package func symbolicatingThread() -> Int? { PlatformImages.thread }

/// Updates the list of this process's images, if a library has been loaded since the last update.
/// Does not wait for symbols that another thread reads.
package func listImages() { PlatformImages.list() }

/// Like `symbolicate`, but slower if the `await` of a task has no line.
@Sendable
package func symbolicateWaits(_ addresses: [UInt]) -> [StackFrame] {
  Symbolicator.shared.waitFrames(addresses)
}
