import Foundation
import InterlockTesting
import TestSupport
import Testing

/// Adds in two critical sections: an addition between them is lost.
private final class Counter: @unchecked Sendable {
  // Unchecked: the lock protects the count.
  private let lock = NSLock()
  private var count = 0

  var value: Int { lock.withLock { count } }

  func addInSteps() {
    let old = lock.withLock { count }
    lock.withLock { count = old + 1 }
  }

  func add() { lock.withLock { count += 1 } }
}

@Suite("a corpus of failing orders", .serialized, .controlled)
struct CorpusTests {
  private func body(_ add: @escaping @Sendable (Counter) -> Void) -> () -> Void {
    {
      let counter = Counter()
      let group = DispatchGroup()
      for _ in 0..<2 { DispatchQueue.global().async(group: group) { add(counter) } }
      group.wait()
      #expect(counter.value == 2)
    }
  }

  private func withFolder(_ work: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "corpus-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try work(folder)
  }

  private func files(_ folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  @Test("a corpus keeps a failing order, tries it first, and drops it when it passes")
  func keeps() throws {
    try withFolder { folder in
      let found = failure(.corpus(folder), function: "kept", of: body { $0.addInSteps() })
      #expect(found?.contains("(order number") == true)
      let path = folder + "/" + (try #require(files(folder).first))
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.contains("\norder "))
      #expect(text.contains(" until lock | Counter.addInSteps() | CorpusTests.swift | 2"))
      let again = failure(.corpus(folder), function: "kept", of: body { $0.addInSteps() })
      #expect(again?.contains("(an order kept from an earlier run)") == true)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
      #expect(failure(.corpus(folder), function: "kept", of: body { $0.add() }) == nil)
      #expect(files(folder).isEmpty)
    }
  }

  @Test("a corpus leaves an unreadable file as it is, and the body is explored without it")
  func badFile() throws {
    try withFolder { folder in
      _ = failure(.corpus(folder), function: "bad", of: body { $0.addInSteps() })
      let path = folder + "/" + (try #require(files(folder).first))
      try "order 0\n1 until\n".write(toFile: path, atomically: true, encoding: .utf8)
      let found = failure(.corpus(folder), function: "bad", of: body { $0.addInSteps() })
      #expect(found?.contains("(order number") == true)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "order 0\n1 until\n")
    }
  }

  @Test("a corpus has no file for a body that never failed")
  func none() throws {
    try withFolder { folder in
      #expect(failure(.corpus(folder), function: "none", of: body { $0.add() }) == nil)
      #expect(files(folder).isEmpty)
    }
  }
}
