import CInterlockExplorer
import Testing

@Suite struct TokenTests {
  func write(
    _ choices: [UInt32], body: String = "transfers", width: UInt32 = 2, accesses: [UInt64] = []
  ) -> String {
    var choices = choices
    var accesses = accesses
    return choices.withUnsafeMutableBufferPointer { choices in
      accesses.withUnsafeMutableBufferPointer { accesses in
        var schedule = interlock_schedule(
          choices: choices.baseAddress, count: choices.count, capacity: choices.count,
          accesses: accesses.baseAddress, access_count: accesses.count)
        let length = interlock_token_write(nil, 0, body, width, &schedule)
        return String(
          unsafeUninitializedCapacity: length + 1
        ) { buffer in
          buffer.withMemoryRebound(to: CChar.self) {
            _ = interlock_token_write($0.baseAddress, length + 1, body, width, &schedule)
          }
          return length
        }
      }
    }
  }

  func read(_ token: String, body: String = "transfers") -> (
    error: String?, choices: [UInt32], width: UInt32, accesses: [UInt64]
  ) {
    var schedule = interlock_schedule()
    var width: UInt32 = 0
    let error = interlock_token_read(token, body, &width, &schedule)
    defer { interlock_schedule_destroy(&schedule) }
    let choices = Array(UnsafeBufferPointer(start: schedule.choices, count: schedule.count))
    let accesses = Array(
      UnsafeBufferPointer(start: schedule.accesses, count: schedule.access_count))
    return (error.map { String(cString: $0) }, choices, width, accesses)
  }

  @Test(
    "reading a token returns the choices written into it",
    arguments: [[], [0], [1, 1, 1, 0, 2, 2], [25, 26, 26, 27, 4_000_000_000, 0, 0]] as [[UInt32]])
  func roundTrip(_ choices: [UInt32]) {
    let result = read(write(choices, width: 255))
    #expect(result.error == nil)
    #expect(result.choices == choices)
    #expect(result.width == 255)
  }

  @Test(
    "reading a token returns the memory accesses that are points",
    arguments: [[0xffff_ffff << 32], [0x977c_6f62 << 32 | 3, 0xa << 32 | 4_000_000_000]])
  func accesses(_ accesses: [UInt64]) {
    for choices in [[], [1, 0, 2]] as [[UInt32]] {
      let result = read(write(choices, width: 8192, accesses: accesses))
      #expect(result.error == nil)
      #expect(result.choices == choices)
      #expect(result.width == 8192)
      #expect(result.accesses == accesses)
    }
    #expect(read(write([1])).accesses.isEmpty)
  }

  @Test("a token has at most 64 memory accesses")
  func mostAccesses() {
    let accesses = (0..<65).map { UInt64($0 + 1) << 32 }
    #expect(read(write([1], accesses: Array(accesses.prefix(64)))).accesses.count == 64)
    let error = read(write([1], accesses: accesses)).error
    #expect(error == "the token has too many accesses of memory")
  }

  @Test("a token's text does not depend on the build")
  func text() {
    #expect(write([0, 0, 0, 1, 0, 30, 30]) == "i1-977c6f62-w2-a3ba_30_2-03c66d")
  }

  @Test("a run of equal choices does not lengthen a token")
  func runLength() {
    #expect(write(Array(repeating: 1, count: 1_000_000)).count < 40)
  }

  @Test("a token that is cut anywhere is refused")
  func cut() {
    let token = write([1, 0, 2, 2, 2, 30, 1])
    for length in 0..<token.count {
      let result = read(String(token.prefix(length)))
      #expect(result.error != nil, "the first \(length) characters")
      #expect(result.choices.isEmpty)
    }
  }

  @Test("a token with any changed character is refused")
  func changed() {
    let token = Array(write([1, 0, 2, 2, 2, 30, 1]))
    for index in token.indices {
      var changed = token
      changed[index] = token[index] == "x" ? "y" : "x"
      #expect(read(String(changed)).error != nil, "character \(index)")
    }
  }

  @Test(
    "the error of a wrong token is one line",
    arguments: [
      ("nonsense", "this is no token of a schedule: one begins with 'i1-'"),
      ("i2-977c6f62-w2-a-000000", "the token is of another version: this one reads version 1"),
      ("i1-977c6f62-w2-a", "the token is cut: its check sum is missing or too short"),
      ("i1-977c6f62-w2-a-00000z", "the token is cut or changed: its check sum differs"),
    ])
  func message(_ token: String, _ expected: String) {
    #expect(read(token).error == expected)
  }

  @Test("a token of another body is refused")
  func foreign() {
    #expect(read(write([1], body: "other")).error == "the token belongs to another body")
  }
}
