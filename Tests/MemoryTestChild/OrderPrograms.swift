import Foundation
import Synchronization

/// Two threads, one after the other, lock a `Mutex` under another one: in both orders
/// (`.inverted`), or so that only two addresses have both orders, and no two locks
/// (`.consistent`).
enum OrderPrograms {
  static let all: [String: @Sendable () -> Void] = [
    "objects_of_two_classes.inverted": {
      let account = Account()
      let ledger = Ledger()
      inTurn {
        nest(account.balance, ledger.lines)
      } then: {
        nest(ledger.lines, account.balance)
      }
    },
    "objects_of_one_class.inverted": {
      let one = Account()
      let other = Account()
      inTurn {
        nest(one.balance, other.balance)
      } then: {
        nest(other.balance, one.balance)
      }
    },
    "inherited.inverted": {
      let one = Journal()
      let other = Journal()
      inTurn {
        nest(one.lines, other.pages)
      } then: {
        nest(other.pages, one.lines)
      }
    },
    "generic.inverted": {
      let one = Generic("one")
      let other = Generic("other")
      inTurn {
        nest(one.value, other.value)
      } then: {
        nest(other.value, one.value)
      }
    },
    "part_of_a_structure.inverted": {
      let one = Holder()
      let other = Holder()
      inTurn {
        nest(one.kept.number, other.kept.number)
      } then: {
        nest(other.kept.number, one.kept.number)
      }
    },
    "weakly_referenced.inverted": {
      let one = Account()
      let other = Account()
      weak let observed = one
      inTurn {
        nest(one.balance, other.balance)
      } then: {
        nest(other.balance, one.balance)
      }
      if observed == nil { fatalError("the object has ended") }
    },
    "object_and_lock.inverted": {
      let account = Account()
      let lock = NSLock()
      inTurn {
        account.balance.withLock { _ in lock.withLock {} }
      } then: {
        lock.withLock { account.balance.withLock { $0 += 1 } }
      }
    },
    // The object ends after both orders.
    "ended.inverted": {
      let other = Account()
      do {
        let one = Account()
        inTurn {
          nest(one.balance, other.balance)
        } then: {
          nest(other.balance, one.balance)
        }
      }
      for _ in 0..<100 { _ = Account() }
    },
    "address_reused.consistent": {
      let other = Account()
      for _ in 0..<20 {
        let address = lockAndEnd(before: other)
        let second = account(at: address)
        inTurn {
          nest(other.balance, second.balance)
        } then: {
        }
      }
    },
    "address_of_another_class_reused.consistent": {
      let other = Account()
      let address = lockAndEnd(before: other)
      let second = object(at: address) { Wallet() }
      inTurn {
        nest(other.balance, second.coins)
      } then: {
      }
    },
    "replaced_in_its_object.consistent": {
      let holder = Holder()
      let other = Account()
      inTurn {
        nest(holder.replaced.number, other.balance)
      } then: {
        holder.replaced = Part()
        nest(other.balance, holder.replaced.number)
      }
    },
    "outer_lock.consistent": {
      let outer = Account()
      let one = Account()
      let other = Account()
      inTurn {
        outer.balance.withLock { _ in nest(one.balance, other.balance) }
      } then: {
        outer.balance.withLock { _ in nest(other.balance, one.balance) }
      }
    },
    "on_a_stack.consistent": {
      inTurn {
        nestLocals(false)
      } then: {
        nestLocals(true)
      }
    },
    "objects_on_a_stack.consistent": {
      inTurn {
        nestLocalObjects(false)
      } then: {
        nestLocalObjects(true)
      }
    },
    "in_a_task.consistent": {
      for isReversed in [false, true] {
        let end = DispatchSemaphore(value: 0)
        Task.detached {
          await nestTasks(isReversed)
          end.signal()
        }
        end.wait()
      }
    },
    "captured.consistent": {
      for isReversed in [false, true] {
        let first = Mutex(0)
        let second = Mutex(0)
        inTurn {
          isReversed ? nest(second, first) : nest(first, second)
        } then: {
        }
      }
    },
    "in_a_buffer.consistent": {
      let other = Account()
      nonisolated(unsafe) let buffer = UnsafeMutablePointer<Part>.allocate(capacity: 1)
      buffer.initialize(to: Part())
      inTurn {
        nest(buffer.pointee.number, other.balance)
      } then: {
      }
      buffer.deinitialize(count: 1)
      buffer.initialize(to: Part())
      inTurn {
        nest(other.balance, buffer.pointee.number)
      } then: {
      }
      buffer.deinitialize(count: 1)
      buffer.deallocate()
    },
  ]

  /// Locks the mutex of a new object before the mutex of `other`, and returns the address of the
  /// new object.
  @inline(never) private static func lockAndEnd(before other: Account) -> UInt {
    let first = Account()
    inTurn {
      nest(first.balance, other.balance)
    } then: {
    }
    return address(of: first)
  }

  private static func account(at address: UInt) -> Account { object(at: address) { Account() } }

  /// Makes objects until one of them has the address.
  private static func object<Object: AnyObject>(
    at wanted: UInt, _ make: () -> Object
  ) -> Object {
    var others: [Object] = []
    for _ in 0..<100_000 {
      let made = make()
      if address(of: made) == wanted { return made }
      others.append(made)
    }
    fatalError("no object has the address of one that has ended")
  }

  private static func address(of object: AnyObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }
}

private final class Account: Sendable { let balance = Mutex(0) }
private final class Wallet: Sendable { let coins = Mutex(0) }
private class Ledger: @unchecked Sendable {
  let title = "lines"
  let lines = Mutex(["first"])
}
private final class Journal: Ledger, @unchecked Sendable { let pages = Mutex([1, 2]) }
private final class Generic<Value: Sendable>: Sendable {
  let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
}
private struct Part: ~Copyable { let number = Mutex(0) }
/// Unchecked: one thread at a time uses it, one after the other.
private final class Holder: @unchecked Sendable {
  let kept = Part()
  var replaced = Part()
}

@inline(never) private func nest<Outer, Inner>(
  _ outer: borrowing Mutex<Outer>, _ inner: borrowing Mutex<Inner>
) {
  outer.withLock { _ in inner.withLock { _ in } }
}

@inline(never) private func nestLocals(_ isReversed: Bool) {
  let first = Mutex(0)
  let second = Mutex(0)
  if isReversed { nest(second, first) } else { nest(first, second) }
}

@inline(never) private func nestLocalObjects(_ isReversed: Bool) {
  let first = Account()
  let second = Account()
  if isReversed { nest(second.balance, first.balance) } else { nest(first.balance, second.balance) }
}

@inline(never) private func nestTasks(_ isReversed: Bool) async {
  let first = Mutex(0)
  let second = Mutex(0)
  await Task.yield()
  if isReversed { nest(second, first) } else { nest(first, second) }
}

private final class Body {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Runs two functions on two threads, the second after the first thread has ended.
private func inTurn(
  _ first: @escaping @Sendable () -> Void, then second: @escaping @Sendable () -> Void
) {
  for body in [first, second] {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Body(body)).toOpaque()
    let status = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context)
    precondition(status == 0)
    pthread_join(thread, nil)
  }
}
