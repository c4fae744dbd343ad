import CMarks
import Dispatch
import Testing

@testable import Interlock
@testable import SectionTable

/// The label of a section's queue, mostly read without a call of Dispatch, is the label that
/// Dispatch returns.
struct QueueLabelTests {
  /// The label that a section has, and the label that Dispatch returns.
  private static func labels() -> [String] {
    [UnsafePointer<CChar>(bitPattern: ThreadContext.current.currentQueueLabel()), dispatchLabel()]
      .map { $0.map { String(cString: $0) } ?? "" }
  }

  private static func dispatchLabel() -> UnsafePointer<CChar>? { interlock_current_queue_label() }

  @Test("a section has its queue's label: on no queue, nested ones, a global one, and none again")
  func wherever() {
    let outer = DispatchQueue(label: "label.outer")
    let inner = DispatchQueue(label: "label.inner", attributes: .concurrent)
    let all = Guarded([[String]]())
    onThread {
      var own: [[String]] = []
      for _ in 0..<3 {
        own.append(Self.labels())
        outer.sync {
          own.append(Self.labels())
          inner.sync { own.append(Self.labels()) }
          own.append(Self.labels())
        }
        DispatchQueue.global(qos: .utility).sync { own.append(Self.labels()) }
        own.append(Self.labels())
      }
      all.withLock { [own] in $0 = own }
    }
    let seen = all.withLock { $0 }
    #expect(seen.count == 18)
    #expect(seen.allSatisfy { $0[0] == $0[1] }, "\(seen)")
    #expect(seen[1][0] == "label.outer")
    #expect(seen[2][0] == "label.inner")
  }

  @Test("a section on a worker has its queue's label, whatever ran there before")
  func workers() {
    let queues = (0..<8).map { DispatchQueue(label: "label.worker.\($0)") }
    let group = DispatchGroup()
    let wrong = Guarded([[String]]())
    for turn in 0..<400 {
      let queue = turn % 9 == 8 ? DispatchQueue.global() : queues[turn % 9]
      queue.async(group: group) {
        let labels = Self.labels()
        if labels[0] != labels[1] { wrong.withLock { $0.append(labels) } }
      }
    }
    group.wait()
    #expect(wrong.withLock { $0 }.isEmpty)
  }

  @Test("a section has its queue's label on queues that may have one address, one after another")
  func reused() {
    onThread {
      for number in 0..<200 {
        DispatchQueue(label: "label.\(number)").sync {
          #expect(Self.labels() == ["label.\(number)", "label.\(number)"])
        }
      }
    }
  }

  #if os(Linux)
  @Test("the word of libdispatch's current queue is found, and is 0 on a thread without a queue")
  func found() {
    onThread {
      let word = ThreadContext.current.pointee.queueWord
      #expect(word != interlock_unknown_queue_word())
      #expect(word.pointee == 0)
      DispatchQueue(label: "label.found").sync { #expect(word.pointee != 0) }
      #expect(word.pointee == 0)
    }
  }
  #endif
}
