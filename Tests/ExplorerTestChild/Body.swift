import Foundation

/// An explored body: plain code that does not use the explorer.
struct Body: Sendable {
  let name: String
  /// Returns false if the execution failed.
  let run: @Sendable () -> Bool

  init(_ name: String, _ run: @escaping @Sendable () -> Bool) {
    self.name = name
    self.run = run
  }
}

/// A value that threads share. It has no protection of its own: the body's locks protect it, or
/// fail to.
final class Shared<Value>: @unchecked Sendable {
  // Unchecked: only the running logical thread accesses it.
  var value: Value

  init(_ value: Value) { self.value = value }
}

/// The outcomes of all executions.
enum Outcomes {
  // Unsafe: only the running logical thread accesses it.
  nonisolated(unsafe) private static var seen: Set<String> = []

  static func note(_ outcome: String) { seen.insert(outcome) }
  static func forget() { seen = [] }
  static var sorted: [String] { seen.sorted() }
}

/// Holds a closure for `pthread_create`.
private final class Work {
  let run: () -> Void

  init(_ run: @escaping () -> Void) { self.run = run }
}

/// Starts a thread of the C library.
func startThread(_ run: @escaping @Sendable () -> Void) -> pthread_t {
  var thread = pthread_t()
  let work = Unmanaged.passRetained(Work(run)).toOpaque()
  let result = pthread_create(
    &thread, nil,
    { argument in
      Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue().run()
      return nil
    }, work)
  precondition(result == 0)
  return thread
}

/// Runs closures on threads of the C library, and waits until all have ended.
func runThreads(_ closures: (@Sendable () -> Void)...) {
  let threads = closures.map(startThread)
  for thread in threads { pthread_join(thread, nil) }
}

/// A structure of the C library at an address of its own.
final class Cell<Value>: @unchecked Sendable {
  // Unchecked: the C library's own functions synchronise the structure.
  let pointer = UnsafeMutablePointer<Value>.allocate(capacity: 1)

  init(_ initial: Value) { pointer.initialize(to: initial) }
  deinit { pointer.deallocate() }
}

func makeMutex(type: Int32 = Int32(PTHREAD_MUTEX_NORMAL)) -> Cell<pthread_mutex_t> {
  let mutex = Cell(pthread_mutex_t())
  var attributes = pthread_mutexattr_t()
  pthread_mutexattr_init(&attributes)
  pthread_mutexattr_settype(&attributes, type)
  pthread_mutex_init(mutex.pointer, &attributes)
  pthread_mutexattr_destroy(&attributes)
  return mutex
}

/// The current time of a clock plus `seconds`.
func time(after seconds: Int, clock: clockid_t = CLOCK_REALTIME) -> timespec {
  var now = timespec()
  clock_gettime(clock, &now)
  now.tv_sec += seconds
  return now
}

/// The text in a C array of characters.
func string<Characters>(_ characters: Characters) -> String {
  withUnsafeBytes(of: characters) { bytes in
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
