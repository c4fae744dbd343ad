/// Finds a line for an address to which debug information gives line 0 or a nonexistent file.
///
/// An example is the call that begins a mutation in place: `entries.append(1)` calls the property's
/// accessor, a coroutine, without a line. The computation of its arguments comes right before it,
/// and the use of the result right after it.
struct NeighbouringLines {
  /// A file and a line in it.
  struct Location: Hashable {
    var file: String?
    var line: Int?
  }

  /// The distances from the address at which code is looked up, in order, a few at a time: each
  /// takes tens of milliseconds with much debug information. A call has 5 bytes on x86, so the code
  /// before it is found at once. Hardly any instruction around it has fewer than 3 bytes.
  /// code before it is found at once; hardly any instruction around it has fewer than 3.
  private static let distances: [[UInt]] =
    [[5]] + stride(from: 7, to: 256, by: 12).map { [$0, $0 + 3, $0 + 6, $0 + 9] }

  /// Symbolicates return addresses. An address has several frames if functions were inlined.
  let name: ([UInt]) -> [NamedFrame]

  /// The line of the code before the address; if that is the function's first line, the line of the
  /// code after it.
  func location(of named: NamedFrame) -> Location? {
    guard let symbol = named.symbol else { return nil }
    let address = named.frame.address
    let here = name([address])
    let function = Function(symbol: symbol, around: here.filter { $0.symbol != symbol })
    let behind = { first(of: function) { address + $0 } }
    // The beginning of an inlined function is unknown, and its offset is 0.
    let most = named.offset > 0 ? named.offset - 1 : .max
    guard let before = first(of: function, upTo: most, at: { address - $0 }) else {
      return behind()
    }
    // The code before is the end of the `await`, unless it computes arguments.
    if here.last?.resumesTask ?? false { return behind() ?? before }
    guard named.offset > 0 else { return before }
    let entry = locations([address - named.offset + 1], of: function).first
    return before == entry ? behind() ?? before : before
  }

  /// A function, with the other frames of the address: the functions that it was inlined into.
  private struct Function {
    var symbol: String
    var around: [NamedFrame]

    /// The function's line in the frames of an address.
    ///
    /// The toolchain lists functions inlined into one another in the order of their first
    /// addresses, not of their nesting. With more than one inlined function, the set of lines is
    /// known, but not which function each line belongs to. The lines of the enclosing functions are
    /// known from elsewhere, and functions of the standard library have none. At the end of an
    /// inlined function, the result is the line of the enclosing function.
    func location(in frames: [NamedFrame]) -> Location? {
      guard let own = frames.first(where: { $0.symbol == symbol }) else { return nil }
      let linesAround = around.map(\.location)
      let lines = Set(
        frames.filter { $0.hasLine && !linesAround.contains($0.location) }.map(\.location))
      guard frames.count > 2 else { return lines.contains(own.location) ? own.location : nil }
      let isKnown = frames.allSatisfy { frame in
        frame.symbol == symbol || around.contains { $0.symbol == frame.symbol }
          || SymbolModule.module(of: frame.symbol) == "Swift"
      }
      return isKnown && lines.count == 1 ? lines.first : nil
    }
  }

  /// The nearest line among addresses at growing distances.
  private func first(
    of function: Function, upTo most: UInt = .max, at address: (UInt) -> UInt
  ) -> Location? {
    for distances in Self.distances {
      let distances = distances.filter { $0 <= most }
      if distances.isEmpty { break }
      if let found = locations(distances.map(address), of: function).first { return found }
    }
    return nil
  }

  /// The lines of those addresses that have a line in this function, in order.
  private func locations(_ addresses: [UInt], of function: Function) -> [Location] {
    let frames = Dictionary(grouping: name(addresses), by: \.frame.address)
    return addresses.compactMap { frames[$0].flatMap(function.location) }
  }
}

extension NamedFrame {
  /// True if the function is the part of an asynchronous function after an `await`.
  var resumesTask: Bool {
    guard let symbol, symbol.hasSuffix("_") else { return false }
    let number = symbol.dropLast().reversed().prefix(while: \.isNumber)
    let kind = symbol.dropLast(number.count + 1).suffix(2)
    return !number.isEmpty && (kind == "TY" || kind == "TQ")
  }

  fileprivate var location: NeighbouringLines.Location {
    NeighbouringLines.Location(file: frame.file, line: frame.line)
  }
}
