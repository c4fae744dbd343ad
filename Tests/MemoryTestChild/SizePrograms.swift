import Dispatch
import Foundation

/// Programs that print the bytes by which the process has grown. Each program determines the number
/// of blocks or tasks that wait at a time, independently of the threads.
enum SizePrograms {
  static let all: [String: @Sendable () -> Void] = [
    // Bytes for each waiting block: the queue is suspended.
    "waiting_blocks": {
      let queue = DispatchQueue(label: "size")
      let counter = Counter()
      queue.suspend()
      enqueue(20_000, queue, counter)
      print("bytes: \(growth { enqueue(80_000, queue, counter) } / 80_000)")
      queue.resume()
      queue.sync {}
    },
    // Bytes for each waiting task: this thread makes the tasks, and would also run them.
    "waiting_tasks": {
      makeTasks(10_000)
      print("bytes: \(growth { makeTasks(30_000) } / 30_000)")
    },
    // Bytes for 100,000 ended blocks, of which 5,000 waited at a time.
    "ended_blocks": {
      let queue = DispatchQueue(label: "size")
      let counter = Counter()
      func round() {
        queue.suspend()
        enqueue(5_000, queue, counter)
        queue.resume()
        queue.sync {}
      }
      for _ in 0..<2 { round() }
      print("bytes: \(growth { for _ in 0..<20 { round() } })")
    },
  ]
}

/// Unchecked: only blocks of one serial queue use it.
private final class Counter: @unchecked Sendable {
  private var count = 0
  func add() { count += 1 }
}

private func enqueue(_ count: Int, _ queue: DispatchQueue, _ counter: Counter) {
  for _ in 0..<count { queue.async { counter.add() } }
}

private func makeTasks(_ count: Int) {
  for _ in 0..<count { Task { @MainActor in } }
}

/// The memory of the process after a call, minus its memory before the call.
private func growth(of call: () -> Void) -> Int {
  let before = residentBytes()
  call()
  return residentBytes() - before
}

private func residentBytes() -> Int {
  let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
  let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}
