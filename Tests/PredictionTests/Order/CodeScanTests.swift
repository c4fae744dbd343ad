import CInterlockAnalysis
import CInterlockEvents
import Foundation
import Synchronization
import Testing

@testable import Prediction

/// Code of this module with atomics.
@inline(never)
private func addAtomically(_ counter: borrowing Atomic<Int>) -> Int {
  counter.wrappingAdd(1, ordering: .relaxed).newValue
}

struct CodeScanTests {
  #if arch(x86_64)
  private static func scan(_ bytes: [UInt8]) -> (interlock_code_finding, at: Int) {
    var at = 0
    let finding = bytes.withUnsafeBytes { interlock_scan_code($0.baseAddress, $0.count, &at) }
    return (finding, at)
  }

  /// A trapping instruction follows each instruction, so the next finding shows a wrong length.
  @Test(
    "the scan knows the length of an instruction",
    arguments: [
      [0x90], [0xC3], [0x55], [0x48, 0x89, 0xE5], [0x48, 0x83, 0xEC, 0x20],
      [0x48, 0x81, 0xEC, 0, 1, 0, 0], [0xE8, 1, 2, 3, 4], [0xEB, 5], [0x0F, 0x84, 1, 2, 3, 4],
      [0x48, 0x8D, 0x05, 1, 2, 3, 4], [0x8B, 0x44, 0x24, 8], [0x8B, 0x84, 0x24, 8, 0, 0, 0],
      [0x8B, 0x04, 0x25, 0, 0, 0, 0], [0x48, 0xB8, 1, 2, 3, 4, 5, 6, 7, 8], [0xB8, 1, 2, 3, 4],
      [0x66, 0xB8, 1, 2], [0xF6, 0x45, 0xF8, 1], [0xF6, 0x5D, 0xF8],
      [0xF7, 0x45, 0xF8, 1, 0, 0, 0],
      [0x66, 0xC7, 0x45, 0xF8, 1, 0], [0xC7, 0x45, 0xF8, 1, 0, 0, 0], [0x0F, 0x0B],
      [0x0F, 0x1F, 0x44, 0, 0], [0x66, 0x2E, 0x0F, 0x1F, 0x84, 0, 0, 0, 0, 0],
      [0xF2, 0x0F, 0x10, 0x45, 0xF0], [0x66, 0x0F, 0x70, 0xC0, 0xEE], [0x0F, 0xBA, 0xE0, 3],
      [0xC5, 0xF8, 0x28, 0x45, 0xF0], [0xC4, 0xE3, 0x7D, 0x18, 0xC1, 1],
      [0x62, 0xF1, 0x7C, 0x48, 0x28, 0x00], [0xC5, 0xF8, 0x77], [0x66, 0x0F, 0x3A, 0x0F, 0xC1, 8],
      [0x48, 0x87, 0xD8], [0xF3, 0x90],
    ] as [[UInt8]])
  func lengths(_ bytes: [UInt8]) {
    // A locked exchange of four bytes, right after the instruction.
    let (finding, at) = Self.scan(bytes + [0xF0, 0x0F, 0xB1, 0x0A])
    #expect(finding == INTERLOCK_CODE_ATOMIC)
    #expect(at == bytes.count)
  }

  @Test(
    "the scan finds an atomic instruction",
    arguments: [
      [0xF0, 0x48, 0x0F, 0xB1, 0x0A], [0xF0, 0x0F, 0xC1, 0x02], [0x48, 0x87, 0x07], [0x86, 0x07],
      [0xF0, 0xFF, 0x07], [0xF0, 0x48, 0x0F, 0xC7, 0x0F],
    ] as [[UInt8]])
  func atomics(_ bytes: [UInt8]) {
    #expect(Self.scan(bytes).0 == INTERLOCK_CODE_ATOMIC)
  }

  private static func hasEffect(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes {
      var function = interlock_code_function()
      function.start = UInt(bitPattern: $0.baseAddress)
      function.size = $0.count
      return interlock_code_has_effect(&function)
    }
  }

  @Test(
    "a function that calls another function, or accesses memory off its stack, has an effect",
    arguments: [
      [0xE8, 1, 2, 3, 4], [0xFF, 0xD0], [0xFF, 0x25, 1, 2, 3, 4], [0xE9, 0, 1, 0, 0],
      [0x89, 0x07], [0x41, 0x89, 0x45, 8], [0x48, 0x8B, 0x05, 1, 2, 3, 4], [0x8B, 0x04, 0x88],
      [0x0F, 0xB6, 0x07], [0xC5, 0xF8, 0x29, 0x07], [0xF0, 0x0F, 0xB1, 0x0A], [0x06],
    ] as [[UInt8]])
  func effects(_ bytes: [UInt8]) {
    #expect(Self.hasEffect([0x90] + bytes + [0xC3]))
  }

  @Test(
    "a function that works only on registers and its stack has no effect",
    arguments: [
      [0x55, 0x48, 0x89, 0xE5], [0x89, 0x7D, 0xFC], [0x8B, 0x44, 0x24, 8],
      [0x48, 0x8D, 0x05, 1, 2, 3, 4],
      [0x0F, 0x1F, 0x44, 0, 0], [0x01, 0xF8], [0xEB, 0], [0xE9, 0, 0, 0, 0],
    ] as [[UInt8]])
  func noEffects(_ bytes: [UInt8]) {
    #expect(!Self.hasEffect(bytes + [0xC3]))
  }

  @Test("the calls of a function are its direct calls, and no bytes within another instruction")
  func calls() {
    // call +16; mov $0xe8, %eax, whose operand is no call; call -9
    let bytes: [UInt8] = [
      0xE8, 16, 0, 0, 0, 0xB8, 0xE8, 0, 0, 0, 0xE8, 0xF7, 0xFF, 0xFF, 0xFF, 0xC3,
    ]
    let found: [[Int]] = bytes.withUnsafeBytes {
      let start = UInt(bitPattern: $0.baseAddress)
      var function = interlock_code_function()
      (function.start, function.size) = (start, $0.count)
      var (offset, returnsTo, target) = (0, UInt(0), UInt(0))
      var found: [[Int]] = []
      while interlock_code_next_call(&function, &offset, &returnsTo, &target) {
        found.append([Int(returnsTo - start), Int(target) - Int(start)])
      }
      return found
    }
    #expect(found == [[5, 21], [15, 6]])
  }

  @Test("invalid or truncated code is not judged plain")
  func unreadable() {
    #expect(Self.scan([0x06]).0 == INTERLOCK_CODE_UNREADABLE)
    #expect(Self.scan([0x90, 0xE8, 1]).0 == INTERLOCK_CODE_UNREADABLE)
    #expect(Self.scan([0x90, 0x90]).0 == INTERLOCK_CODE_PLAIN)
  }
  #endif

  #if os(Linux)
  @Test(
    "functions are found by their symbols, and those with atomics are recognised",
    // ThreadSanitizer makes atomics by its own functions.
    .enabled(if: interlock_events_available() != INTERLOCK_EVENTS_NONE_SANITIZER))
  func symbols() {
    let counter = Atomic<Int>(0)
    #expect(addAtomically(counter) == 1)
    var name = [CChar](repeating: 0, count: 512)
    #expect(
      interlock_scan_functions("addAtomically", &name, name.count) == INTERLOCK_CODE_ATOMIC)
    let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    #expect(text.contains("addAtomically"))
    #expect(
      interlock_scan_functions("interlock_scan_functions", &name, name.count)
        == INTERLOCK_CODE_PLAIN)
    #expect(
      interlock_scan_functions("no_such_function", &name, name.count)
        == INTERLOCK_CODE_UNREADABLE)
    #expect(!interlock_code_symbol(1, &name, name.count))
  }
  #endif
}
