import Dispatch
import Foundation
import Programs

/// Resources that are returned to a pool and used again.
let poolPrograms: [Program] = [
  Program(
    "first-free-and-back", "a free list's first item is the one seen before, and its next is not",
    .failsInSomeOrder(.violation), twin: "a version that each change raises is compared too",
    source: "IBM System/370 Principles of Operation: the ABA problem of a list that is popped"
  ) {
    let list = Guarded(FreeList())
    let mine = Guarded<Int?>(nil)
    let others = Guarded<Int?>(nil)
    together(
      { mine.set(popComparing(list) { $0.first == $1.first }) },
      {
        let first = list.update { $0.pop() }
        others.set(list.update { $0.pop() })
        if let first { list.update { $0.push(first) } }
      })
    try expect(
      mine.value == nil || mine.value != others.value && list.value.first != others.value,
      "item \(others.value ?? 0) is in use, and is free")
  } right: {
    let list = Guarded(FreeList())
    let mine = Guarded<Int?>(nil)
    let others = Guarded<Int?>(nil)
    together(
      { mine.set(popComparing(list) { $0.version == $1.version }) },
      {
        let first = list.update { $0.pop() }
        others.set(list.update { $0.pop() })
        if let first { list.update { $0.push(first) } }
      })
    try expect(
      mine.value == nil || mine.value != others.value && list.value.first != others.value,
      "item \(others.value ?? 0) is in use, and is free")
  },

  Program(
    "number-of-a-closed-file", "a write uses a file number that was closed and given out again",
    .failsInSomeOrder(.violation),
    twin: "a handle has a generation, and a write with an older one is refused"
  ) {
    let files = Guarded([3: "a"])
    let written = Guarded<String?>(nil)
    let number = 3
    together(
      { written.set(files.value[number]) },
      {
        files.update { $0[number] = nil }
        // The lowest free number, as open() gives it.
        files.update { $0[number] = "b" }
      })
    try expect(written.value != "b", "the text for file a was written to file b")
  } right: {
    let files = Guarded([3: (name: "a", generation: 1)])
    let written = Guarded<String?>(nil)
    let handle = (number: 3, generation: 1)
    together(
      {
        let file = files.value[handle.number]
        if file?.generation == handle.generation { written.set(file?.name) }
      },
      {
        files.update { $0[3] = nil }
        files.update { $0[3] = (name: "b", generation: 2) }
      })
    try expect(written.value != "b", "the text for file a was written to file b")
  },

  Program(
    "closed-while-used", "a connection is closed between the check that it is open and its use",
    .failsInSomeOrder(.violation),
    twin: "a user is counted under the lock that closes, and the last one closes"
  ) {
    let isOpen = Guarded(true)
    let sentOnClosed = Guarded(false)
    together(
      {
        guard isOpen.value else { return }
        if !isOpen.value { sentOnClosed.set(true) }
      }, { isOpen.set(false) })
    try expect(!sentOnClosed.value, "a message was sent on a closed connection")
  } right: {
    let connection = Guarded((users: 0, isClosing: false, isOpen: true))
    let sentOnClosed = Guarded(false)
    together(
      {
        let mayUse = connection.update { connection in
          if !connection.isClosing { connection.users += 1 }
          return !connection.isClosing
        }
        guard mayUse else { return }
        if !connection.value.isOpen { sentOnClosed.set(true) }
        connection.update {
          $0.users -= 1
          if $0.users == 0, $0.isClosing { $0.isOpen = false }
        }
      },
      {
        connection.update {
          $0.isClosing = true
          if $0.users == 0 { $0.isOpen = false }
        }
      })
    try expect(!sentOnClosed.value, "a message was sent on a closed connection")
    try expect(!connection.value.isOpen, "the connection was not closed")
  },
]

/// Three items; each free item has the number of the next free item.
private struct FreeList {
  var first: Int? = 1
  var next: [Int: Int] = [1: 2, 2: 3]
  var version = 0

  mutating func pop() -> Int? {
    guard let item = first else { return nil }
    first = next[item]
    version += 1
    return item
  }

  mutating func push(_ item: Int) {
    next[item] = first
    first = item
    version += 1
  }
}

/// Takes the first item if the list equals, by `isSame`, the one that was read.
private func popComparing(
  _ list: Guarded<FreeList>, isSame: (FreeList, FreeList) -> Bool
) -> Int? {
  let seen = list.value
  return list.update { list in
    guard isSame(list, seen), let item = list.first else { return nil }
    list.first = seen.next[item]
    list.version += 1
    return item
  }
}
