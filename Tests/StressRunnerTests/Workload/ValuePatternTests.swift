import Testing

@testable import StressRunner

@Suite("The values of a workload")
struct ValuePatternTests {
  @Test("Values have the requested length, and are recognised", arguments: [0, 1, 7, 8, 9, 65_536])
  func lengths(_ valueBytes: Int) {
    let pattern = ValuePattern(keys: 3, valueBytes: valueBytes)
    for key in 0..<3 {
      let value = pattern.value(ofKey: key)
      #expect(value.count == valueBytes)
      #expect(pattern.isValue(value, ofKey: key))
    }
  }

  @Test("Values of different keys differ in their first eight bytes")
  func distinct() {
    let pattern = ValuePattern(keys: 1_000, valueBytes: 32)
    let beginnings = Set((0..<1_000).map { Array(pattern.value(ofKey: $0).prefix(8)) })
    #expect(beginnings.count == 1_000)
    #expect(!pattern.isValue(pattern.value(ofKey: 4), ofKey: 5))
  }

  @Test(
    "Values are not recognised with one byte changed, missing or added", arguments: [0, 31, 63])
  func broken(_ position: Int) {
    let pattern = ValuePattern(keys: 1, valueBytes: 64)
    var changed = pattern.value(ofKey: 0)
    changed[position] ^= 1
    #expect(!pattern.isValue(changed, ofKey: 0))
    #expect(!pattern.isValue(Array(pattern.value(ofKey: 0).dropLast()), ofKey: 0))
    #expect(!pattern.isValue(pattern.value(ofKey: 0) + [0], ofKey: 0))
  }
}
