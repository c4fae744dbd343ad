/// Where a fault, or a pattern, is described.
package struct Source: Sendable, ExpressibleByStringLiteral {
  /// The text, in one line.
  package let text: String

  package init(stringLiteral text: String) { self.text = text }

  package static let lockdep: Source =
    "Linux kernel, Documentation/locking/lockdep-design.rst: two locks in two orders"
  package static let lockTakenAgain: Source =
    "Linux kernel, Documentation/locking/lockdep-design.rst: a lock that is taken again inside"
  package static let recursiveReads: Source =
    "pthread_rwlockattr_setkind_np(3); lockdep-design.rst: recursive read locks"
  package static let blockedSignaller: Source =
    "Goetz et al., Java Concurrency in Practice, 14.2: a wait that blocks its signaller"
  package static let pathWithoutUnlock: Source =
    "CWE-667, improper locking: a path on which the lock is not released"
  package static let poolGrowth: Source = """
    libdispatch, src/event/workqueue.c: a pool whose threads all wait grows by one a second, up to \
    255; xnu, bsd/pthread/pthread_workqueue.c: up to 64
    """
  package static let dispatchOnce: Source = """
    dispatch_once(3): the block is executed once, and callers wait until it has completed; one \
    that calls itself deadlocks
    """
  package static let staticLet: Source = """
    The Swift Programming Language: a static stored property is initialised once, lazily, and by \
    one thread
    """
  package static let gateLocks: Source = """
    K. Havelund, "Using runtime analysis to guide model checking of Java programs" (SPIN 2000): \
    gate locks
    """
  package static let nearMiss: Source = """
    TSVD ("Efficient Scalable Thread-Safety-Violation Detection", SOSP 2019): a delay where two \
    accesses nearly overlapped
    """
}
