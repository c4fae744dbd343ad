import Foundation
import Testing

@testable import Interlock
@testable import StressRunner

/// Symbolication of a child by the runner. Here, both ends are in this process.
@Suite("The runner symbolicates for a trial")
struct SymbolServerTests {
  private let runner: SymbolSocket
  private let child: SymbolSocket

  init() throws { (runner, child) = try #require(SymbolSocket.makePair()) }

  private var ownStack: [UInt] {
    Thread.callStackReturnAddresses.prefix(4).map { UInt(truncating: $0) }
  }

  @Test("The runner's frames of a stack are those that the child itself finds")
  func answers() {
    SymbolServer(process: getpid(), socket: runner).start()
    let client = SymbolClient(descriptor: child.descriptor)
    let stack = ownStack
    for _ in 0..<2 {
      let frames = client.frames(stack)
      #expect(Set(frames.map(\.frame)) == Set(symbolicate(stack)))
      #expect(frames.contains { $0.frame.function?.contains("SymbolServerTests") ?? false })
    }
    child.close()
  }

  @Test("Addresses that are in no image have no frame, and the next request is answered")
  func unknown() {
    SymbolServer(process: getpid(), socket: runner).start()
    let client = SymbolClient(descriptor: child.descriptor)
    #expect(client.frames([1, .max]).isEmpty)
    #expect(!client.frames(ownStack).isEmpty)
    child.close()
  }

  @Test("A child requests symbols only once from a runner that does not answer")
  func silent() {
    let client = SymbolClient(descriptor: child.descriptor, patience: 10)
    #expect(client.frames(ownStack).isEmpty)
    // A late answer is not read as the answer to another request.
    SymbolServer(process: getpid(), socket: runner).start()
    #expect(client.frames(ownStack).isEmpty)
    child.close()
  }

  @Test("A runner that has closed its end, or a descriptor that is closed, gives no frames")
  func closed() {
    runner.close()
    #expect(SymbolClient(descriptor: child.descriptor).frames(ownStack).isEmpty)
    child.close()
    #expect(SymbolClient(descriptor: -1).frames(ownStack).isEmpty)
  }

  @Test("An answer that ends early, is too long or is no JSON gives no frames", arguments: 0..<3)
  func wrong(answer: Int) {
    let client = SymbolClient(descriptor: child.descriptor, patience: 1000)
    let data = Data("[7]".utf8)
    switch answer {
    case 0: #expect(runner.write(count: 100, data))
    case 1: #expect(runner.write(count: .max, data))
    default: #expect(runner.write(count: 3, data))
    }
    if answer == 0 { shutdown(runner.descriptor, Int32(SHUT_WR)) }
    #expect(client.frames(ownStack).isEmpty)
    runner.close()
    child.close()
  }

  @Test("A child that asks for more addresses than a report has gets no answer")
  func excess() {
    SymbolServer(process: getpid(), socket: runner).start()
    #expect(child.write(count: SymbolServer.mostAddresses + 1, Data()))
    #expect(child.readCount(atMost: .max) == nil)
    child.close()
  }
}
