#if os(Linux) && DEBUG
import Foundation
import Testing

@testable import Interlock

@Suite("lines by llvm-symbolizer", .enabled(if: LineSymbolizer.path != nil))
struct LineSymbolizerTests {
  /// Calls through a closure, a generic function and the standard library.
  private static func addresses() -> [UInt] {
    let inner = { (_: Int) in Thread.callStackReturnAddresses.map(\.uintValue) }
    return [1].lazy.map(inner).first ?? []
  }

  @Test("are those that the toolchain's 'Runtime' module finds, which is used without the program")
  func same() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let addresses = Self.addresses()
      let quick = PlatformImages.frames(addresses).map(\.frame)
      precondition(quick.contains { $0.file?.hasSuffix("LineSymbolizerTests.swift") ?? false })
      LineSymbolizer.shared.withLock {
        precondition($0.lines(of: addresses) != nil)
        $0.close()
        $0.isMissing = true
        precondition($0.lines(of: addresses) == nil)
      }
      let slow = PlatformImages.frames(addresses).map(\.frame)
      // 'Runtime' leaves the paths of C files relative.
      for (one, other) in zip(quick, slow)
      where one.line != other.line || one.function != other.function
        || !(one.file ?? "").hasSuffix((other.file ?? "").drop { $0 == "/" })
      {
        FileHandle.standardError.write(Data("\(one); \(other)\n".utf8))
      }
      precondition(quick.count == slow.count)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text == "")
  }

  @Test("leave no child to wait for")
  func noChild() async {
    await #expect(processExitsWith: .success) {
      let addresses = Self.addresses()
      LineSymbolizer.shared.withLock { precondition($0.lines(of: addresses) != nil) }
      // The program is no child of this process.
      precondition(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD)
    }
  }

  @Test("survive code that closes every descriptor and opens others")
  func closedStream() async {
    await #expect(processExitsWith: .success) {
      let addresses = Self.addresses()
      var ends: [Int32] = [-1, -1]
      precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      LineSymbolizer.shared.withLock { symbolizer in
        precondition(symbolizer.lines(of: addresses) != nil)
        for other in ends[0]..<ends[0] + 16 where !ends.contains(other) { dup2(ends[0], other) }
        precondition(symbolizer.lines(of: addresses) != nil)
      }
      var byte: UInt8 = 0
      precondition(recv(ends[1], &byte, 1, Int32(MSG_DONTWAIT)) == -1 && errno == EAGAIN)
    }
  }
}
#endif
