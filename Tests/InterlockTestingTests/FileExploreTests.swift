import Foundation
import InterlockTesting
import TestSupport
import Testing

/// A number in a file, which each thread reads and writes.
private struct CounterFile: Sendable {
  let url = URL(fileURLWithPath: NSTemporaryDirectory() + "interlock-counter-\(UUID())")
  let lock = NSLock()

  var count: Int { (try? String(contentsOf: url, encoding: .utf8)).flatMap { Int($0) } ?? 0 }

  func add() { try? Data("\(count + 1)".utf8).write(to: url, options: .atomic) }

  func addTwice(_ add: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    for _ in 0..<2 { DispatchQueue.global().async(group: group, execute: add) }
    group.wait()
  }
}

@Suite("explore of files", .serialized, .controlled)
struct FileExploreTests {
  @Test("two updates of a file lose one in some order, and the schedule shows the calls")
  func lostUpdate() throws {
    let text = failure {
      let file = CounterFile()
      defer { try? FileManager.default.removeItem(at: file.url) }
      file.addTwice { file.add() }
      #expect(file.count == 2)
    }
    let failure = try #require(text)
    #expect(failure.contains("(file.count → 1) == 2"))
    #expect(failure.contains("rename"))
  }

  @Test("two updates of a file under a lock are kept in every order")
  func keptUpdates() throws {
    try explore {
      let file = CounterFile()
      defer { try? FileManager.default.removeItem(at: file.url) }
      file.addTwice { file.lock.withLock { file.add() } }
      #expect(file.count == 2)
    }
  }

  @Test("a token of a schedule with calls on files replays it")
  func replay() throws {
    let run = { (replay: String?) in
      failure(replay: replay, function: "file") {
        let file = CounterFile()
        defer { try? FileManager.default.removeItem(at: file.url) }
        file.addTwice { file.add() }
        #expect(file.count == 2)
      }
    }
    let found = try token(in: run(nil))
    #expect(try token(in: run(found)) == found)
  }
}
