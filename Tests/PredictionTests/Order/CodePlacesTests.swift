import CInterlockAnalysis
import Interlock
import Synchronization
import Testing

@testable import Prediction

#if os(Linux) && arch(x86_64)

/// Code that synchronises by itself, each method in one way. Those with atomics return their line.
private final class Synchronised: Sendable {
  private let mutex = Mutex(0)
  private let atomic = Atomic<Int>(0)

  func locksInMacro() {
    #expect(mutex.withLock { $0 } == 0)
  }

  func triesToLock() {
    _ = mutex.withLockIfAvailable { $0 += 1 }
  }

  func addsInMacro() -> Int {
    #expect(atomic.wrappingAdd(1, ordering: .relaxed).newValue == 1)
    return #line - 1
  }

  func addsAndLocks() -> Int {
    let number = atomic.wrappingAdd(1, ordering: .relaxed).newValue
    mutex.withLock { $0 = number }
    return #line - 2
  }
}

struct CodePlacesTests {
  /// The texts of places in functions whose symbols contain a name.
  private func places(_ name: String) -> [String] {
    (0..<interlock_code_symbol_count()).filter { CodeJudge.name($0).contains(name) }
      .compactMap { UncontrolledPlace(inSymbol: $0)?.text(in: "Own") }
  }

  @Test("code that synchronises by itself is named by its kind and the user's line, not a macro's")
  func kinds() {
    let code = Synchronised()
    let lines = (code.addsInMacro(), code.addsAndLocks())
    let file = "CodePlacesTests.swift"
    #expect(places("addsInMacro") == ["atomics in module Own (\(file):\(lines.0))"])
    #expect(places("addsAndLocks") == ["atomics in module Own (\(file):\(lines.1))"])
  }

  @Test("a Mutex, which exploration controls, is not named, but its code is atomic for prediction")
  func mutex() {
    let code = Synchronised()
    code.locksInMacro()
    code.triesToLock()
    for name in ["locksInMacro", "triesToLock"] {
      #expect(places(name) == [])
      var symbol = [CChar](repeating: 0, count: 256)
      #expect(
        interlock_scan_functions(name, &symbol, symbol.count) == INTERLOCK_CODE_ATOMIC, "\(name)")
    }
  }

  @Test("a module reaches the modules that its code refers to, and none that refers to it")
  func reach() {
    OwnCode.register(OwnCode.prediction)
    let modules = CodeModules()
    let tests = CodeReach(from: "InterlockTestingTests", in: modules).modules
    #expect(tests.first == "InterlockTestingTests")
    #expect(tests.contains("TestSupport") && tests.contains("TrackedModel"), "\(tests)")
    #expect(!tests.contains("PredictionTests") && !tests.contains("StressRunnerTests"), "\(tests)")
    #expect(CodeReach(from: "TrackedModel", in: modules).modules == ["TrackedModel"])
    // Through another module.
    let samples = CodeReach(from: "DetectorProgram", in: modules).modules
    #expect(samples.contains("PredictPrograms"), "\(samples)")
  }

  @Test("a function in an extension belongs to the module that declares it, not to the type's")
  func owners() {
    let modules = CodeModules()
    #expect(modules.owner(of: "$s10Prediction9CodeReachV0A5TestsE4readyyF") == "PredictionTests")
    #expect(
      modules.owner(of: "$s10Prediction9CodeReachV9Interlock7Finding0A5TestsWP")
        == "PredictionTests")
    #expect(modules.owner(of: "$s10Prediction9CodeReachV4readyyF") == "Prediction")
    #expect(modules.owner(of: "$sSS4readyyF") == nil)
  }

  @Test("code refers to what it calls, jumps to, or has the address of, outside of its function")
  func references() {
    // call +64; lea 32(%rip), %rax; je -64; mov 8(%rip), %ecx; jmp back to the start; jmp +128
    let bytes: [UInt8] = [
      0xE8, 64, 0, 0, 0, 0x48, 0x8D, 0x05, 32, 0, 0, 0, 0x0F, 0x84, 0xC0, 0xFF, 0xFF, 0xFF,
      0x8B, 0x0D, 100, 0, 0, 0, 0xE9, 0xE3, 0xFF, 0xFF, 0xFF, 0xE9, 128, 0, 0, 0,
    ]
    let found: [Int] = bytes.withUnsafeBytes {
      let start = UInt(bitPattern: $0.baseAddress)
      var function = interlock_code_function()
      (function.start, function.size) = (start, $0.count)
      var (offset, target) = (0, UInt(0))
      var found: [Int] = []
      while interlock_code_next_reference(&function, &offset, &target) {
        found.append(Int(target) - Int(start))
      }
      return found
    }
    #expect(found == [69, 44, 18 - 64, 124, 34 + 128])
  }
}

#endif
