/// Finds a line for an address to which debug information gives line 0, or a file that does not
/// exist.
///
/// An example is the call that begins a mutation in place: `entries.append(1)` calls the property's
/// accessor, a coroutine, from no line. The computation of its arguments stands right before it,
/// and the use of the result right after it.
struct NeighbouringLines {
  /// A file and a line in it.
  struct Location: Equatable {
    var file: String?
    var line: Int?
  }

  /// The distances from the address at which code is looked up, in order, a few places at a time:
  /// each takes tens of milliseconds with much debug information. A call has 5 bytes on x86, so the
  /// code before it is found at once; hardly any instruction around it has fewer than 3.
  private static let distances: [[UInt]] =
    [[5]] + stride(from: 7, to: 256, by: 12).map { [$0, $0 + 3, $0 + 6, $0 + 9] }

  /// Names return addresses; an address has several frames if functions were inlined.
  let name: ([UInt]) -> [NamedFrame]

  /// The line of the code before the address; if that is the function's first line, the line of the
  /// code after.
  func location(of named: NamedFrame) -> Location? {
    guard let symbol = named.symbol else { return nil }
    let address = named.frame.address
    let behind = { first(of: symbol) { address + $0 } }
    guard let before = first(of: symbol, at: { address - $0 }) else { return behind() }
    // The beginning of an inlined function is not known.
    guard named.offset > 0 else { return before }
    let entry = locations([address - named.offset + 1], of: symbol).first
    return before == entry ? behind() ?? before : before
  }

  /// The nearest line among addresses at growing distances.
  private func first(of symbol: String, at address: (UInt) -> UInt) -> Location? {
    for distances in Self.distances {
      if let found = locations(distances.map(address), of: symbol).first { return found }
    }
    return nil
  }

  /// The lines of those addresses that have one in this function, in order.
  private func locations(_ addresses: [UInt], of symbol: String) -> [Location] {
    let frames = name(addresses).filter { $0.symbol == symbol && $0.hasLine }.map(\.frame)
    return addresses.compactMap { address in
      frames.first { $0.address == address }.map { Location(file: $0.file, line: $0.line) }
    }
  }
}
