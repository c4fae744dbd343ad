import CInterlockEvents
import Dispatch
import Foundation
import ProcessInspection
import Testing

/// A thread of the system, which can be joined.
final class TestThread: @unchecked Sendable {
  // Unchecked: written once, before other threads have the object.
  private(set) var handle = pthread_t()

  /// The thread's number in the system, known once the thread runs.
  private let number = SharedArray<Int>(count: 1) { 0 }
  private let hasNumber = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(
      Start { [number, hasNumber] in
        number[0] = Platform.thisThread
        hasNumber.signal()
        body()
      })
    pthread_create(
      &handle, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    hasNumber.wait()
  }

  /// The thread's number in the system.
  var id: Int { number[0] }

  /// Waits for the thread's end.
  func join() { pthread_join(handle, nil) }

  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}

/// Checks repeatedly until a condition holds, for at most 30 s; then the test fails.
func eventually(
  _ what: Comment, at location: SourceLocation = #_sourceLocation, _ isSo: () -> Bool
) {
  let end = ContinuousClock.now + .seconds(30)
  while !isSo() {
    guard ContinuousClock.now < end else {
      Issue.record("never: \(what)", sourceLocation: location)
      return
    }
    // A period between checks, not a wait for an event.
    var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
    nanosleep(&pause, nil)
  }
}

/// The time this many seconds from now, by the clock of the C library's calls.
func moment(in seconds: Double) -> timespec {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  let nanoseconds = now.tv_nsec + Int(seconds * 1e9)
  return timespec(
    tv_sec: now.tv_sec + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
}

/// A C library object, at one address until the process ends.
func allocated<Value>(_ value: Value) -> UnsafeMutablePointer<Value> {
  let pointer = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  pointer.initialize(to: value)
  return pointer
}

/// Runs on a new thread, so that no thread of the pool is blocked.
func onThread(_ body: @escaping () -> Void) async {
  nonisolated(unsafe) let body = body
  await withCheckedContinuation { continuation in
    _ = TestThread {
      body()
      continuation.resume()
    }
  }
}

/// The line after that of the caller, as events name it.
func nextLine(_ file: String = #fileID, _ line: Int = #line) -> String {
  "\(file.split(separator: "/").last ?? ""):\(line + 1)"
}

extension UnsafeMutablePointer {
  /// The address, as events name the object.
  var address: UInt { UInt(bitPattern: self) }
}

extension DispatchObject {
  /// The address that Dispatch's own calls have: of the wrapped object.
  var address: UInt { wrappedAddress(of: self) }
}

extension UnsafeContinuation {
  /// The address that the runtime uses: of the task.
  var address: UInt { unsafeBitCast(self, to: UInt.self) }
}

extension DispatchWorkItem {
  /// The address that Dispatch's own calls have: of its block.
  var address: UInt { wrappedAddress(of: self) }
}

/// On Linux, Dispatch's Swift classes have one stored property, behind the object's header: the
/// wrapped object.
private func wrappedAddress(of object: AnyObject) -> UInt {
  Unmanaged.passUnretained(object).toOpaque().load(fromByteOffset: 16, as: UInt.self)
}

/// The current task, as events name it.
var thisTask: UInt {
  withUnsafeCurrentTask { $0.map { unsafeBitCast($0, to: UInt.self) } ?? 0 }
}
