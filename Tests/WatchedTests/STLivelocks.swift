import Foundation
import InterlockTesting
import Synchronization
import Testing

/// A value that no thread changes.
private final class Flag: @unchecked Sendable {
  private let lock = NSLock()
  private var isSet = false

  var value: Bool { lock.withLock { isSet } }
}

/// Tests that never end: each polls for a change that no thread makes.
@Suite struct STLivelocks {
  @Test func oneThread() throws {
    try explore(.budget(.seconds(2))) { Self.poll() }
  }

  @Test func twoThreads() throws {
    try explore(.budget(.seconds(2))) { Self.pollOnThreads() }
  }

  @Test func isolated() throws {
    try explore(.budget(.seconds(120)), .isolated) { Self.pollOnThreads() }
  }

  @Test func twoTasks() async throws {
    try await explore(.budget(.seconds(2))) { await Self.pollInTasks() }
  }

  @Test(.explored(.budget(.seconds(120)))) func byTrait() async { await Self.pollInTasks() }

  /// Replays the livelock that an exploration found.
  @Test func replayed() throws {
    let found = Mutex("")
    try withKnownIssue {
      try explore(.budget(.seconds(2))) { Self.pollIfSecondIsFirst() }
    } matching: { issue in
      let text = issue.comments.map(\.rawValue).joined()
      let token = text.firstMatch(of: /explore\(replay: "(.+)"\)/)
      found.withLock { $0 = token.map { String($0.1) } ?? "" }
      return token != nil
    }
    try explore(replay: found.withLock { $0 }) { Self.pollIfSecondIsFirst() }
  }

  /// Ends only if the first thread comes first.
  private static func pollIfSecondIsFirst() {
    let first = Mutex<Int?>(nil)
    let group = DispatchGroup()
    for number in 0..<2 {
      DispatchQueue.global().async(group: group) {
        first.withLock { if $0 == nil { $0 = number } }
        while number == 1, first.withLock({ $0 == 1 }) { usleep(10) }
      }
    }
    group.wait()
  }

  private static func poll() {
    let (lock, isSet) = (NSLock(), false)
    while true {
      lock.lock()
      let ends = isSet
      lock.unlock()
      if ends { break }
    }
  }

  private static func pollOnThreads() {
    let flag = Flag()
    let group = DispatchGroup()
    for _ in 0..<2 {
      DispatchQueue.global().async(group: group) {
        while !flag.value { usleep(10) }
      }
    }
    group.wait()
  }

  private static func pollInTasks() async {
    let flag = Flag()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask { while !flag.value { await Task.yield() } }
      }
    }
  }
}
