import Dispatch
import Foundation

/// Programs that print how many bytes the process has grown by. Each decides itself how many blocks
/// or tasks wait at a time, whatever the threads do.
enum SizePrograms {
  static let all: [String: @Sendable () -> Void] = [
    // For each block that waits: its queue is suspended.
    "waiting_blocks": {
      let queue = DispatchQueue(label: "size")
      let counter = Counter()
      queue.suspend()
      enqueue(20_000, queue, counter)
      print("bytes: \(growth { enqueue(80_000, queue, counter) } / 80_000)")
      queue.resume()
      queue.sync {}
    },
    // For each task that waits: this thread, which would run it, makes the tasks.
    "waiting_tasks": {
      makeTasks(10_000)
      print("bytes: \(growth { makeTasks(30_000) } / 30_000)")
    },
    // For 100,000 blocks that have ended, of which 5,000 waited at a time.
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

/// Unchecked: blocks of one serial queue use it.
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

/// How much more memory the process has after a call than before it.
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
