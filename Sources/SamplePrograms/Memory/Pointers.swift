@preconcurrency import CMemoryPrograms
import Foundation
import Programs

/// Memory outside of Swift's values: pointers, C structs and C globals.
let pointerPrograms: [Program] = [
  Program(
    "pointer-written", "two threads write through one pointer", .races, twin: "a lock guards it",
    wrong: { onSharedBytes { bytes in onTwoThreads { bytes.it.word = 1 } } },
    right: {
      onSharedBytes { bytes in
        let lock = NSLock()
        onTwoThreads { lock.withLock { bytes.it.word = 1 } }
      }
    }),
  Program(
    "typed-pointer-incremented", "two threads increment the number behind a pointer", .races,
    twin: "each thread has a number of its own",
    wrong: { onSharedNumbers { numbers in onTwoThreads { numbers.it[0] += 1 } } },
    right: {
      onSharedNumbers { numbers in
        onTwoThreads {
          numbers.it[0] += 1
        } then: {
          numbers.it[1] += 1
        }
      }
    }),
  Program(
    "partial-overlap", "a thread writes eight bytes and another reads two of them", .races,
    twin: "the bytes lie beside the ones written",
    wrong: {
      onSharedBytes { bytes in
        onTwoThreads {
          bytes.it.word = 1
        } then: {
          use(bytes.it.halves[3])
        }
      }
    },
    right: {
      onSharedBytes { bytes in
        onTwoThreads {
          bytes.it.halves[0] = 1
        } then: {
          use(bytes.it.halves[1])
        }
      }
    }),
  Program(
    "across-two-words", "a thread writes across two words, and another reads the second", .races,
    twin: "the other reads after it",
    wrong: {
      onSharedBytes { bytes in
        onTwoThreads {
          memory_write_across(bytes.it)
        } then: {
          use(bytes.it.bytes[12])
        }
      }
    },
    right: {
      onSharedBytes { bytes in
        Joined { memory_write_across(bytes.it) }.join()
        Joined { use(bytes.it.bytes[12]) }.join()
      }
    }),
  Program(
    "bytes-of-one-word", "two threads write one byte of a word", .races,
    twin: "each writes another byte of the word",
    wrong: {
      onSharedBytes { bytes in onTwoThreads { bytes.it.bytes[3] = 1 } }
    },
    right: {
      onSharedBytes { bytes in
        onThreads(8) { bytes.it.bytes[$0] = 1 }
      }
    }),
  Program(
    "bytes-copied", "a thread copies memory that another writes", .races, twin: "a lock guards it",
    wrong: {
      onSharedBytes { bytes in
        onTwoThreads {
          memory_fill(bytes.it)
        } then: {
          var copy = (0, 0, 0, 0)
          memory_copy(&copy, bytes.it)
          use(copy)
        }
      }
    },
    right: {
      onSharedBytes { bytes in
        let lock = NSLock()
        onTwoThreads {
          lock.withLock { memory_fill(bytes.it) }
        } then: {
          var copy = (0, 0, 0, 0)
          lock.withLock { memory_copy(&copy, bytes.it) }
          use(copy)
        }
      }
    }),
  Program(
    "c-struct-field", "two threads add to a field of a C struct", .races, twin: "a mutex guards it",
    wrong: {
      onSharedStruct { account in onTwoThreads { account.it.pointee.balance += 1 } }
    },
    right: {
      onSharedStruct { account in
        let lock = NSLock()
        onTwoThreads { lock.withLock { account.it.pointee.balance += 1 } }
      }
    }),
  Program(
    "c-function", "two threads add to a C struct by a function of C", .races,
    twin: "a lock guards it",
    wrong: { onSharedStruct { account in onTwoThreads { memory_deposit(account.it, 1) } } },
    right: {
      onSharedStruct { account in
        let lock = NSLock()
        onTwoThreads { lock.withLock { memory_deposit(account.it, 1) } }
      }
    }),
  Program(
    "c-global", "two threads change a global variable of C from Swift", .races,
    twin: "a lock guards it",
    wrong: { onTwoThreads { memory_plain_global += 1 } },
    right: {
      let lock = NSLock()
      onTwoThreads { lock.withLock { memory_guarded_global += 1 } }
    }),
  Program(
    "memory-reused", "threads write to memory that others have freed", .passes
  ) {
    onThreads(4) { index in
      for _ in 0..<200 {
        let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 8)
        numbers.initialize(repeating: index, count: 8)
        use(numbers[3])
        numbers.deallocate()
      }
    }
  },
  Program(
    "pointer-handed-over", "a thread frees memory that another made and filled", .passes
  ) {
    let queue = DispatchQueue(label: "hand over")
    for _ in 0..<20 {
      nonisolated(unsafe) let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 4)
      numbers.initialize(repeating: 1, count: 4)
      queue.async {
        use(numbers[2])
        numbers.deallocate()
      }
    }
    queue.sync {}
  },
]

extension UnsafeMutableRawPointer {
  fileprivate var word: UInt64 {
    get { assumingMemoryBound(to: UInt64.self).pointee }
    nonmutating set { assumingMemoryBound(to: UInt64.self).pointee = newValue }
  }
  fileprivate var halves: UnsafeMutablePointer<UInt16> { assumingMemoryBound(to: UInt16.self) }
  fileprivate var bytes: UnsafeMutablePointer<UInt8> { assumingMemoryBound(to: UInt8.self) }
}

private func onSharedBytes(_ body: (Unguarded<UnsafeMutableRawPointer>) -> Void) {
  let bytes = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
  bytes.initializeMemory(as: UInt8.self, repeating: 0, count: 64)
  body(Unguarded(it: bytes))
  bytes.deallocate()
}

private func onSharedNumbers(_ body: (Unguarded<UnsafeMutablePointer<Int>>) -> Void) {
  let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 2)
  numbers.initialize(repeating: 0, count: 2)
  body(Unguarded(it: numbers))
  numbers.deallocate()
}

private func onSharedStruct(_ body: (Unguarded<UnsafeMutablePointer<memory_account>>) -> Void) {
  let account = UnsafeMutablePointer<memory_account>.allocate(capacity: 1)
  account.initialize(to: memory_account(number: 1, balance: 0, is_open: true))
  body(Unguarded(it: account))
  account.deallocate()
}
