import CMarks
import Testing

@testable import Interlock
@testable import SectionTable

/// The owner of a section, mostly read without a call of the runtime, is the owner that the runtime
/// returns.
struct TaskWordTests {
  /// The owner that a section has, and the owner that the runtime's call returns.
  private static func owners() -> (read: UInt, asked: UInt) {
    let context = ThreadContext.current
    let task = interlock_current_task()
    return (
      context.currentOwner, task == 0 ? context.pointee.threadOwner : UInt(task) << 1 | 1
    )
  }

  @Test("a section's owner is the runtime's task on any thread, or the thread outside of tasks")
  func owner() async {
    let wrong = Guarded(0)
    let tasks = Guarded(Set<UInt>())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask {
          for _ in 0..<3 {
            let (read, asked) = Self.owners()
            if read != asked || read & 1 == 0 { wrong.withLock { $0 += 1 } }
            tasks.withLock { _ = $0.insert(read) }
            await Task.yield()
          }
        }
      }
    }
    onThread {
      let (read, asked) = Self.owners()
      if read != asked || read & 1 != 0 { wrong.withLock { $0 += 1 } }
    }
    #expect(wrong.withLock { $0 } == 0)
    #expect(tasks.withLock { $0.count } == 200)
  }

  @Test("a thread without a known word calls the runtime, with the same result")
  func unknown() async {
    let owners: (read: UInt, asked: UInt) = {
      let context = ThreadContext.current
      let word = context.pointee.taskWord
      context.pointee.taskWord = interlock_unknown_task_word()
      defer { context.pointee.taskWord = word }
      return Self.owners()
    }()
    #expect(owners.read == owners.asked)
    #expect(owners.read & 1 == 1)
  }

  #if os(Linux) && arch(x86_64)
  @Test("the word of the runtime's current task is found, and is 0 on a thread without a task")
  func found() async {
    #expect(Self.isKnown(and: { $0 != 0 }))
    onThread { #expect(Self.isKnown(and: { $0 == 0 })) }
  }

  private static func isKnown(and holds: (UInt) -> Bool) -> Bool {
    let word = ThreadContext.current.pointee.taskWord
    return word != interlock_unknown_task_word() && holds(word.pointee)
  }

  @Test("code of another function, or with another callee, gives no word of the current task")
  func others() {
    // push rbp; mov rbp, rsp; lea rdi, [rip + 0]; call the last line; mov rax, [rax + 8];
    // pop rbp; ret; then jmp through a word of zeroes.
    let code: [UInt8] = [
      0x55, 0x48, 0x89, 0xE5, 0x48, 0x8D, 0x3D, 0, 0, 0, 0, 0xE8, 6, 0, 0, 0,
      0x48, 0x8B, 0x40, 8, 0x5D, 0xC3, 0xFF, 0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]
    #expect(interlock_decode_task_word(code) == interlock_unknown_task_word())
    for length in [0, 4, 11, 16, 20, 21] {
      let cut = Array(code.prefix(length)) + [UInt8](repeating: 0x90, count: 36)
      #expect(interlock_decode_task_word(cut) == interlock_unknown_task_word(), "\(length)")
    }
  }
  #endif
}
