/// The values of a script. Each key has one value for each number that a call stores, and all
/// values begin differently.
struct ScriptValues: Sendable {
  private let pattern: ValuePattern
  private let keys: Int
  private let prepared: Int
  private let sizes: [Int: Set<Int>]
  /// The value numbers that are stored, ascending.
  let numbers: [Int]

  /// Creates the values of a workload's script. The preparation also stores number 0.
  init(_ workload: Workload, _ script: Script) {
    keys = workload.keys
    prepared = workload.valueBytes
    var sizes: [Int: Set<Int>] = [0: [workload.valueBytes]]
    for call in script.allCalls { sizes[call.value, default: []].insert(call.bytes) }
    self.sizes = sizes
    numbers = sizes.keys.sorted()
    pattern = ValuePattern(
      keys: workload.keys * ((numbers.last ?? 0) + 1),
      valueBytes: sizes.values.compactMap { $0.max() }.max() ?? 0)
  }

  /// A fresh copy of one of a key's values.
  func value(_ number: Int, ofKey key: Int, bytes: Int) -> [UInt8] {
    Array(pattern.value(ofKey: number * keys + key).prefix(bytes))
  }

  /// The value that the preparation stores.
  func prepared(ofKey key: Int) -> [UInt8] { value(0, ofKey: key, bytes: prepared) }

  /// The number of the key's value that equals these bytes; `nil` if none does.
  func number(of bytes: [UInt8], ofKey key: Int) -> Int? {
    numbers.first { number in
      sizes[number]?.contains(bytes.count) == true
        && value(number, ofKey: key, bytes: bytes.count) == bytes
    }
  }

  /// "value 1", or how the bytes differ from every value.
  func name(of bytes: [UInt8]?, ofKey key: Int) -> String {
    guard let bytes else { return "nothing" }
    return number(of: bytes, ofKey: key).map { "value \($0)" } ?? "\(bytes.count) other bytes"
  }
}
