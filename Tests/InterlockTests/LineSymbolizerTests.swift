#if os(Linux) && DEBUG
import Foundation
import InterlockTestsC
import Testing

@testable import Interlock
@testable import SectionTable

@Suite("lines by llvm-symbolizer", .enabled(if: LineSymbolizer.path != nil))
struct LineSymbolizerTests {
  /// Calls through a closure, a generic function and the standard library.
  private static func addresses() -> [UInt] {
    let inner = { (_: Int) in Thread.callStackReturnAddresses.map(\.uintValue) }
    return [1].lazy.map(inner).first ?? []
  }

  @Test(
    "llvm-symbolizer finds the same lines as the toolchain's 'Runtime' module",
    arguments: [false, true])
  func same(showsInlined: Bool) async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [showsInlined] in
      let addresses = [UInt(c_return_address_in_inlined())] + Self.addresses()
      var symbolizer = LineSymbolizer(showsInlined: showsInlined)
      guard let places = symbolizer.places(of: addresses) else { fatalError("no places") }
      let quick = PlatformImages.frames(addresses, places)
      let slow = PlatformImages.frames(addresses, nil, showsInlined: showsInlined)
      let inlined = quick.filter { $0.frame.function == "c_inlined" && $0.frame.line == 8 }
      precondition(inlined.count == (showsInlined ? 1 : 0))
      precondition(
        quick.contains { $0.frame.file?.hasSuffix("LineSymbolizerTests.swift") ?? false })
      // 'Runtime' leaves the paths of C files relative.
      for (one, other) in zip(quick, slow)
      where one.frame.line != other.frame.line || one.frame.function != other.frame.function
        || one.symbol != other.symbol || one.isThunk != other.isThunk
        || !(one.frame.file ?? "").hasSuffix((other.frame.file ?? "").drop { $0 == "/" })
      {
        FileHandle.standardError.write(Data("\(one.frame); \(other.frame)\n".utf8))
      }
      precondition(quick.count == slow.count)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text == "")
  }

  @Test("the 'Runtime' module finds the lines when llvm-symbolizer has ended")
  func missing() async {
    await #expect(processExitsWith: .success) {
      let addresses = Self.addresses()
      LineSymbolizer.shared.withLock {
        precondition($0.places(of: addresses) != nil)
        $0.close()
        $0.isMissing = true
        precondition($0.places(of: addresses) == nil)
      }
      let files = PlatformImages.frames(addresses).compactMap(\.frame.file)
      precondition(files.contains { $0.hasSuffix("LineSymbolizerTests.swift") })
    }
  }

  @Test("llvm-symbolizer leaves no child to wait for")
  func noChild() async {
    await #expect(processExitsWith: .success) {
      let addresses = Self.addresses()
      LineSymbolizer.shared.withLock { precondition($0.places(of: addresses) != nil) }
      // llvm-symbolizer is no child of this process.
      precondition(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD)
    }
  }

  @Test("llvm-symbolizer survives code that closes every descriptor and opens others")
  func closedStream() async {
    await #expect(processExitsWith: .success) {
      let addresses = Self.addresses()
      var ends: [Int32] = [-1, -1]
      precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      LineSymbolizer.shared.withLock { symbolizer in
        precondition(symbolizer.places(of: addresses) != nil)
        for other in ends[0]..<ends[0] + 16 where !ends.contains(other) { dup2(ends[0], other) }
        precondition(symbolizer.places(of: addresses) != nil)
      }
      var byte: UInt8 = 0
      precondition(recv(ends[1], &byte, 1, Int32(MSG_DONTWAIT)) == -1 && errno == EAGAIN)
    }
  }
}
#endif
