import Foundation
import Interlock
import PredictPrograms
import Programs

/// Two threads read a number from a file, increment it and write it back: the shared state is not
/// memory.
let filePrograms: [Program] = [
  Program(
    "file-rewritten-by-two", "two threads raise a number in a file, without a lock", .races,
    source: .nearMiss
  ) {
    rewrite { section, raise in section.write(raise) }
  },
  Program(
    "file-rewritten-in-turn", "two threads raise a number in a file under an NSLock", .predicts(),
    source: .nearMiss
  ) {
    let lock = NSLock()
    rewrite { section, raise in lock.withLock { section.write(synched: true, raise) } }
  },
]

private func rewrite(_ change: @escaping @Sendable (Section, () -> Void) -> Void) {
  let path = NSTemporaryDirectory() + "interlock-counter-\(UUID().uuidString)"
  guard FileManager.default.createFile(atPath: path, contents: Data("0".utf8)) else {
    fatalError("\(path) cannot be written")
  }
  defer { unlink(path) }
  let section = Section("counter file")
  onTwoThreads {
    for _ in 0..<50 {
      Thread.sleep(forTimeInterval: .random(in: 0...0.001))
      change(section) { raise(path) }
    }
  }
}

/// Reads the number and overwrites it with the next one, through its own descriptor.
private func raise(_ path: String) {
  let file = open(path, O_RDWR)
  defer { close(file) }
  var text = [UInt8](repeating: 0, count: 16)
  let count = pread(file, &text, text.count, 0)
  let number = Int(String(decoding: text.prefix(max(0, count)), as: UTF8.self)) ?? 0
  let next = Array(String(number + 1).utf8)
  _ = pwrite(file, next, next.count, 0)
}
