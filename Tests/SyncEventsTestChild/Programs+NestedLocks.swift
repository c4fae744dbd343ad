import Foundation

/// The owner that takes the nested locks: the lock order is recorded for each owner.
private enum Runner: String {
  case main, thread, blocks

  /// Runs the body `times` times, and returns when all runs have ended.
  func run(times: Int, _ body: @escaping @Sendable () -> Void) {
    switch self {
    case .main: for _ in 0..<times { body() }
    case .thread:
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        for _ in 0..<times { body() }
        ended.signal()
      }
      ended.wait()
    case .blocks:
      let queue = DispatchQueue(label: "blocks", attributes: .concurrent)
      for _ in 0..<times { queue.async(execute: body) }
      queue.sync(flags: .barrier) {}
    }
  }
}

extension Programs {
  /// Takes locks under other locks until their order is known. The arguments are the first runner,
  /// the later runner, the end of the later one, and the watchdog's limit, if it is on.
  static let nested: [String: Program] = [
    "nested-locks": { arguments in
      start(arguments)
      guard let first = Runner(rawValue: arguments[0]), let later = Runner(rawValue: arguments[1])
      else { return print("no such runner") }
      let gate = NSLock()
      let names = NSLock()
      let numbers = NSLock()
      @Sendable func nest(_ outer: NSLock, _ inner: NSLock) {
        outer.withLock { inner.withLock {} }
      }
      first.run(times: 20) { gate.withLock { nest(names, numbers) } }
      later.run(times: 20) { gate.withLock { nest(numbers, names) } }
      switch arguments[2] {
      case "under-the-gate": break
      case "without-the-gate": later.run(times: 1) { nest(numbers, names) }
      default: return print("no such end")
      }
      print("done")
    }
  ]
}
