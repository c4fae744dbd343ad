import CInterlockAnalysis
import Testing

#if arch(x86_64)
@Suite("The code behind a call that performs a compare-exchange")
struct ExchangeCodeTests {
  /// The offset of the instruction that reads the comparison, and whether it compares with 0; `nil`
  /// if the code has another form.
  private static func reader(
    _ instructions: [[UInt8]], isWide: Bool = false
  ) -> (offset: Int, comparesWithZero: Bool)? {
    let bytes = instructions.flatMap(\.self)
    return bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress.map({ UInt(bitPattern: $0) }) else { return nil }
      var function = interlock_code_function()
      (function.start, function.size) = (start, bytes.count)
      var code = interlock_exchange_code()
      guard interlock_exchange_code_in(&function, start, isWide, &code) else { return nil }
      return (Int(code.reader - start), code.compares_with_zero)
    }
  }

  private static let testRax: [UInt8] = [0x48, 0x85, 0xC0]
  private static let setAl: [UInt8] = [0x0F, 0x94, 0xC0]
  private static let call: [UInt8] = [0xE8, 0, 0, 0, 0]
  private static let `return`: [UInt8] = [0xC3]
  /// Jumps to the next instruction, if equal and if unequal.
  private static let jumpIfEqual: [UInt8] = [0x74, 0]
  private static let jumpIfUnequal: [UInt8] = [0x75, 0]
  private static let compareWithR15: [UInt8] = [0x4C, 0x39, 0xF8]

  @Test("the code behind an exchange may compare with 0, a register or a value on the stack")
  func comparisons() throws {
    let zero = try #require(Self.reader([Self.testRax, Self.setAl, Self.call]))
    #expect(zero.offset == 3 && zero.comparesWithZero)
    let register = try #require(
      Self.reader([Self.compareWithR15, Self.jumpIfUnequal, Self.return]))
    #expect(register.offset == 3 && !register.comparesWithZero)
    // mov -96(%rbp), %rdx; mov %rax, %rcx; sub %rdx, %rcx; sete %cl; call
    let stack = try #require(
      Self.reader([
        [0x48, 0x8B, 0x55, 0xA0], [0x48, 0x89, 0xC1], [0x48, 0x29, 0xD1], [0x0F, 0x94, 0xC1],
        Self.call,
      ]))
    #expect(stack.offset == 10 && !stack.comparesWithZero)
  }

  @Test("the code behind an exchange compares both halves of a wide value")
  func wide() {
    // xor %rcx, %rax; xor %rbx, %rdx; or %rdx, %rax
    let code: [[UInt8]] = [
      [0x48, 0x31, 0xC8], [0x48, 0x31, 0xDA], [0x48, 0x09, 0xD0], Self.setAl, Self.call,
    ]
    #expect(Self.reader(code, isWide: true)?.offset == 9)
    #expect(Self.reader(code) == nil)
  }

  @Test("the code behind an exchange may read a comparison twice, unless it is with 0")
  func readTwice() {
    #expect(
      Self.reader([Self.compareWithR15, Self.setAl, Self.jumpIfUnequal, Self.return])?.offset == 3)
    #expect(Self.reader([Self.testRax, Self.jumpIfEqual, Self.jumpIfEqual, Self.return]) == nil)
    #expect(Self.reader([Self.testRax, Self.setAl, Self.jumpIfUnequal, Self.return]) == nil)
  }

  @Test(
    "the code behind an exchange has no known form if it calls or compares another value",
    arguments: [
      // cmp %rbx, %rcx
      [call, testRax, setAl, call], [[0x48, 0x39, 0xD9], jumpIfUnequal, `return`],
      // mov 0(%rip), %rcx; mov %rcx, %rax
      [[0x48, 0x8B, 0x0D, 0, 0, 0, 0], testRax, setAl, call],
      [[0x48, 0x89, 0xC8], testRax, setAl, call],
      // The flags are read as those of an ordering comparison: jb.
      [compareWithR15, [0x72, 0], `return`], [compareWithR15, setAl, [0x72, 0], `return`],
      // The code ends here.
      [testRax, setAl],
    ] as [[[UInt8]]])
  func otherForms(_ code: [[UInt8]]) {
    #expect(Self.reader(code) == nil)
  }
}
#endif
