import Foundation
import InterlockTesting
import Testing

/// Bodies that take a sleep for an order, and a body that joins instead.
@Suite struct STSleeping {
  /// Unchecked: the lock protects the value.
  final class Value: @unchecked Sendable {
    private let lock = NSLock()
    private var stored = 0

    var number: Int {
      get { lock.withLock { stored } }
      set { lock.withLock { stored = newValue } }
    }
  }

  @Test func microseconds() throws {
    try explore {
      let value = Value()
      Thread { value.number = 1 }.start()
      usleep(1000)
      #expect(value.number == 1)
    }
  }

  @Test func threadSleeps() throws {
    try explore {
      let value = Value()
      Thread { value.number = 1 }.start()
      Thread.sleep(forTimeInterval: 0.001)
      #expect(value.number == 1)
    }
  }

  @Test func taskSleeps() async throws {
    try await explore {
      let value = Value()
      let task = Task { value.number = 1 }
      try? await Task.sleep(for: .milliseconds(1))
      #expect(value.number == 1)
      await task.value
    }
  }

  @Test func delayedBlock() throws {
    try explore {
      let value = Value()
      let done = DispatchGroup()
      for _ in 0..<2 { done.enter() }
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.001) {
        value.number = 2
        done.leave()
      }
      DispatchQueue.global().async {
        value.number = 1
        done.leave()
      }
      done.wait()
      #expect(value.number == 2)
    }
  }

  @Test func twoSleepers() async throws {
    try await explore {
      let value = Value()
      async let short: Void = {
        try? await Task.sleep(for: .milliseconds(1))
        value.number = 1
      }()
      async let long: Void = {
        try? await Task.sleep(for: .milliseconds(2))
        value.number = 2
      }()
      _ = await (short, long)
      #expect(value.number == 2)
    }
  }

  @Test func joined() throws {
    try explore {
      let value = Value()
      let done = DispatchSemaphore(value: 0)
      Thread {
        value.number = 1
        done.signal()
      }.start()
      done.wait()
      #expect(value.number == 1)
    }
  }

  @Test func exact() throws {
    try explore(.exactTime, .poolWidth(3)) {
      let value = Value()
      Thread { value.number = 1 }.start()
      usleep(1000)
      #expect(value.number == 1)
    }
  }
}
