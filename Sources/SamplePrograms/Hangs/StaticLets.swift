import Dispatch
import Foundation
import Programs
internal import CSamplePrograms

/// `static let`, and C's `dispatch_once`: an initializer runs once, and other threads wait for it.
let staticLetPrograms: [Program] = [
  Program(
    "static-let-uses-itself", "a shared instance's initializer uses the shared instance",
    .hangs(.itself), source: .staticLet,
    staticLetUsesItself),
  Program(
    "static-lets-crossed", "two shared instances' initializers use each other, on two threads",
    .hangs(.cycle), source: .staticLet,
    staticLetsCrossed),
  Program(
    "static-let-and-queue-crossed",
    "a shared instance's initializer syncs on a queue whose block uses the instance",
    .hangs(.cycle), source: .staticLet,
    staticLetAndQueueCrossed),
  Program(
    "dispatch-once-uses-itself",
    "a C library's dispatch_once initializer uses the instance that it makes", .traps,
    source: .dispatchOnce,
    hang_dispatch_once_uses_itself),
  Program(
    "dispatch-once-and-lock-crossed",
    "a C library's dispatch_once takes a mutex whose holder uses the instance that it makes",
    .hangs(.cycle), source: .dispatchOnce,
    hang_dispatch_once_and_lock_crossed),
]

/// Wrong: the settings' initializer reads a default, which is computed from the settings.
private func staticLetUsesItself() {
  final class Settings: Sendable {
    static let shared = Settings()
    let cacheLimit: Int

    init() { cacheLimit = Defaults.cacheLimit }
  }

  enum Defaults {
    static var cacheLimit: Int { Settings.shared.cacheLimit / 2 }
  }

  _ = Settings.shared
}

/// Wrong: either initializer may run first, and then needs the other.
private func staticLetsCrossed() {
  enum Beginning {
    static let meeting = Meeting()
  }

  final class Account: Sendable {
    static let shared = Account()
    let name: String

    init() {
      Beginning.meeting.come()
      name = Network.shared.host
    }
  }

  final class Network: Sendable {
    static let shared = Network()
    let host: String

    init() {
      Beginning.meeting.comeToo()
      host = Account.shared.name
    }
  }

  Thread.detachNewThread { _ = Network.shared }
  _ = Account.shared
}

/// Wrong: the store's initializer waits for a block on its queue, and that block uses the store.
private func staticLetAndQueueCrossed() {
  enum Work {
    static let queue = DispatchQueue(label: "store")
    static let meeting = Meeting()
  }

  final class Store: Sendable {
    static let shared = Store()
    let count: Int

    init() {
      Work.meeting.comeToo()
      count = Work.queue.sync { 1 }
    }
  }

  Work.queue.async {
    Work.meeting.come()
    _ = Store.shared
  }
  _ = Store.shared
}
