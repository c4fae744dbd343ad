import Dispatch
import Foundation
import Synchronization

/// Unchecked: racy programs leave the uses unordered on purpose.
private final class Total: @unchecked Sendable {
  var value = 0

  @inline(never) func add() { value += 1 }
}

/// A number that threads pass on without an order: all its accesses are relaxed.
private final class Passed: Sendable {
  private let value = Atomic<UInt>(0)

  func set(_ new: UInt) { value.store(new, ordering: .relaxed) }

  func await() -> UInt {
    while true {
      let now = value.load(ordering: .relaxed)
      if now != 0 { return now }
      sched_yield()
    }
  }
}

/// Runs two bodies on two threads that nothing orders. The calling thread makes the address that
/// the first gets, and, once the first has run, the address that the second gets.
private func apart(
  _ first: @escaping @Sendable (UInt) -> Void, _ second: @escaping @Sendable (UInt) -> Void,
  make: () -> UInt, makeAgain: (UInt) -> UInt
) {
  let (isOver, later) = (Passed(), Passed())
  let address = make()
  let ended = DispatchSemaphore(value: 0)
  Thread {
    second(later.await())
    ended.signal()
  }.start()
  Thread {
    first(address)
    isOver.set(1)
    ended.signal()
  }.start()
  _ = isOver.await()
  later.set(makeAgain(address))
  ended.wait()
  ended.wait()
}

/// The same for bodies without an address.
private func apart(
  _ first: @escaping @Sendable () -> Void, _ second: @escaping @Sendable () -> Void
) {
  apart({ _ in first() }, { _ in second() }, make: { 1 }, makeAgain: { $0 })
}

private func object<Object: AnyObject>(_ address: UInt) -> Object {
  guard let pointer = UnsafeRawPointer(bitPattern: address) else { fatalError("no address") }
  return Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
}

/// The address of the object of libdispatch in an object of Dispatch's Swift overlay: the overlay's
/// classes have it in their first field, behind the two words of every object.
private func innerAddress(_ address: UInt) -> UInt {
  guard let pointer = UnsafeRawPointer(bitPattern: address) else { fatalError("no address") }
  return pointer.load(fromByteOffset: 16, as: UInt.self)
}

/// Two threads, one after the other, each use an object and then add to one number. With `isNew`,
/// the second thread's object is a new one at the address of the first, which has ended.
private func addInTurn<Object: AnyObject>(
  isNew: Bool, _ make: @escaping () -> Object,
  _ use: @escaping @Sendable (Object, Total) -> Void
) {
  let total = Total()
  func made() -> UInt { UInt(bitPattern: Unmanaged.passRetained(make()).toOpaque()) }
  func end(_ address: UInt) {
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { fatalError("no address") }
    Unmanaged<Object>.fromOpaque(pointer).release()
  }
  // The allocator keeps some freed blocks for each thread, and does not use these for the objects
  // of libdispatch. Others fill that store, and the neighbours keep the block apart.
  let (spares, neighbours) = (8, 4)
  let others = (0..<spares + neighbours).map { _ in made() }
  apart { address in
    use(object(address), total)
  } _: { address in
    use(object(address), total)
  } make: {
    let first = made()
    for _ in 0..<neighbours { _ = made() }
    return first
  } makeAgain: { address in
    guard isNew else { return address }
    let inner = innerAddress(address)
    for other in others.prefix(spares) { end(other) }
    end(address)
    for _ in 0..<1_000 {
      let other = made()
      if innerAddress(other) == inner { return other }
    }
    fatalError("no object has the address of one that has ended")
  }
}

/// The same for a C value, which is initialised again in place.
private func addInTurn<Value>(
  isNew: Bool, _ value: Value, initialise: @escaping (UnsafeMutablePointer<Value>) -> Void,
  _ use: @escaping @Sendable (UnsafeMutablePointer<Value>, Total) -> Void
) {
  let total = Total()
  let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  memory.initialize(to: value)
  @Sendable func pointer(_ address: UInt) -> UnsafeMutablePointer<Value> {
    guard let pointer = UnsafeMutablePointer<Value>(bitPattern: address) else {
      fatalError("no address")
    }
    return pointer
  }
  apart { address in
    use(pointer(address), total)
  } _: { address in
    use(pointer(address), total)
  } make: {
    initialise(memory)
    return UInt(bitPattern: memory)
  } makeAgain: { address in
    if isNew { initialise(memory) }
    return address
  }
}

private func addOnQueue(isNew: Bool) {
  addInTurn(isNew: isNew, { DispatchQueue(label: "local") }) { queue, total in
    queue.sync { total.add() }
  }
}

private func addUnderSemaphore(isNew: Bool) {
  addInTurn(isNew: isNew, { DispatchSemaphore(value: 1) }) { semaphore, total in
    semaphore.wait()
    total.add()
    semaphore.signal()
  }
}

private func addBesideGroup(isNew: Bool) {
  addInTurn(isNew: isNew, { DispatchGroup() }) { group, total in
    group.enter()
    group.leave()
    group.wait()
    total.add()
    group.enter()
    group.leave()
  }
}

private func addUnderMutex(isNew: Bool) {
  addInTurn(isNew: isNew, pthread_mutex_t(), initialise: { pthread_mutex_init($0, nil) }) {
    mutex, total in
    pthread_mutex_lock(mutex)
    total.add()
    pthread_mutex_unlock(mutex)
  }
}

private func addUnderWriteLock(isNew: Bool) {
  addInTurn(isNew: isNew, pthread_rwlock_t(), initialise: { pthread_rwlock_init($0, nil) }) {
    lock, total in
    pthread_rwlock_wrlock(lock)
    total.add()
    pthread_rwlock_unlock(lock)
  }
}

private func addUnderPosixSemaphore(isNew: Bool) {
  addInTurn(isNew: isNew, sem_t(), initialise: { sem_init($0, 0, 1) }) { semaphore, total in
    sem_wait(semaphore)
    total.add()
    sem_post(semaphore)
  }
}

extension SwiftPrograms {
  /// Two threads, one after the other, whose objects have one address, or are one object.
  static let atOneAddress: [String: @Sendable () -> Void] = [
    "recycled_queue.racy": { addOnQueue(isNew: true) },
    "kept_queue.correct": { addOnQueue(isNew: false) },
    "recycled_semaphore.racy": { addUnderSemaphore(isNew: true) },
    "kept_semaphore.correct": { addUnderSemaphore(isNew: false) },
    "recycled_group.racy": { addBesideGroup(isNew: true) },
    "kept_group.correct": { addBesideGroup(isNew: false) },
    "initialised_mutex.racy": { addUnderMutex(isNew: true) },
    "kept_mutex.correct": { addUnderMutex(isNew: false) },
    "initialised_rwlock.racy": { addUnderWriteLock(isNew: true) },
    "kept_rwlock.correct": { addUnderWriteLock(isNew: false) },
    "initialised_posix_semaphore.racy": { addUnderPosixSemaphore(isNew: true) },
    "kept_posix_semaphore.correct": { addUnderPosixSemaphore(isNew: false) },
    // Two calls of `concurrentPerform` have one queue, and nothing in common.
    "applied_apart.racy": {
      let total = Total()
      apart {
        total.add()
        DispatchQueue.concurrentPerform(iterations: 2) { _ in }
      } _: {
        DispatchQueue.concurrentPerform(iterations: 2) { _ in }
        total.add()
      }
    },
    // The iterations come after their caller's code, and before its later code.
    "applied_in_calls.correct": {
      inThreads { _ in
        let totals = (0..<4).map { _ in Total() }
        for _ in 0..<50 {
          for total in totals { total.add() }
          DispatchQueue.concurrentPerform(iterations: totals.count) { index in
            totals[index].add()
            let inner = [Total(), Total()]
            DispatchQueue.concurrentPerform(iterations: inner.count) { inner[$0].add() }
            for total in inner { total.add() }
          }
        }
      }
    },
    // A wait with the limit `DISPATCH_TIME_NOW` that succeeds comes after what left the group.
    "polled_group.correct": {
      let total = Total()
      let group = DispatchGroup()
      group.enter()
      Thread {
        total.add()
        group.leave()
      }.start()
      while group.wait(timeout: DispatchTime(uptimeNanoseconds: 0)) == .timedOut { sched_yield() }
      total.add()
    },
    // A wait that fails orders nothing.
    "polled_group_in_use.racy": {
      let total = Total()
      let group = DispatchGroup()
      let (hasAdded, isPolled) = (Passed(), Passed())
      group.enter()
      Thread {
        total.add()
        hasAdded.set(1)
        _ = isPolled.await()
        group.leave()
      }.start()
      _ = hasAdded.await()
      guard group.wait(timeout: DispatchTime(uptimeNanoseconds: 0)) == .timedOut else { return }
      total.add()
      isPolled.set(1)
      group.wait()
    },
  ]
}
