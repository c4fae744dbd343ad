import Foundation

/// What runs the nested locks: each way is another owner of the orders.
private enum Runner: String {
  case main, thread, blocks

  /// Runs the body this often, and comes back when all of it has ended.
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
  /// Locks under others, so often that their order is known: arguments are what runs them first,
  /// what runs them later, and what the later ones do; and the watchdog's limit, if it is on.
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
