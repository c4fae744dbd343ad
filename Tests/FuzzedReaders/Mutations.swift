import StressRunner

/// Nearly correct inputs: mutations of seeds, equal for equal numbers.
package struct Mutations: Sendable {
  /// Texts that readers often get wrong.
  private static let odd = [
    "-1", "0", "1e999", "18446744073709551616", "null", "\"\"", "{", "}", "[", "]", ",", ":", "\n",
    "\u{0}", "\\u0000", "\\ud800", "\"><script>", "]]>", "\u{202E}", "\u{FEFF}", "-", "_", "é",
    "\\",
  ].map { Array($0.utf8) }

  private let seeds: [[UInt8]]

  /// Mutations of these seeds.
  package init(_ seeds: [[UInt8]]) { self.seeds = seeds }

  /// The input with this number.
  package func input(_ number: Int) -> [UInt8] {
    var random = SplitMix64(seed: 1, at: number)
    var bytes = seeds[random.next(below: seeds.count)]
    for _ in 0...random.next(below: 4) {
      let place = random.next(below: bytes.count + 1)
      let end = min(bytes.count, place + 1 + random.next(below: 40))
      switch random.next(below: 8) {
      case 0: if place < bytes.count { bytes[place] ^= 1 << UInt8(random.next(below: 8)) }
      case 1: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
      case 2: bytes.removeSubrange(place..<end)
      case 3: bytes.insert(contentsOf: bytes[place..<end], at: random.next(below: bytes.count + 1))
      case 4, 5: bytes.insert(contentsOf: Self.odd[random.next(below: Self.odd.count)], at: place)
      case 6:
        bytes.replaceSubrange(place..<end, with: Self.odd[random.next(below: Self.odd.count)])
      default: bytes.removeSubrange(place...)
      }
    }
    return bytes
  }
}

extension Array where Element == UInt8 {
  /// Removes everything from an index on.
  fileprivate mutating func removeSubrange(_ range: PartialRangeFrom<Int>) {
    removeLast(count - range.lowerBound)
  }
}
