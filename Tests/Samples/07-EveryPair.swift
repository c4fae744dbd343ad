// A type claims @unchecked Sendable: each two of its methods run against each other, and the answer
// is a matrix.
//
// Prints:
//
//   ✘ Test everyPair() recorded an issue at 07-EveryPair.swift:55:1: Issue recorded
//   ↳ 'put' and 'has' conflict
//     Samples/07-EveryPair.swift:51: race on a property: nothing orders the write here after the…
//       first, ended before: read  Samples/07-EveryPair.swift:55  Shelf.has(_:)
//         thread 'thread 3', task 204
//         #0 Shelf.has(_:)  07-EveryPair.swift:55
//         #1 closure #3 in closure #1 in everyPair()  07-EveryPair.swift:62
//       second, after it by luck: write  Samples/07-EveryPair.swift:53  closure #1 in Shelf.put(_:)
//         thread 'thread 2', task 203
//         #0 closure #1 in Shelf.put(_:)  07-EveryPair.swift:53
//         body            has                                             put
//      1  begin task
//      2                  begin task
//      3                  read section #14  07-EveryPair.swift:51
//      4                  end of read section #14  07-EveryPair.swift:51
//      5                  end task
//      6                                                                  begin task
//      7                                                                  lock #15  07-EveryPai…
//      8                                                                  write section #14  07…
//      9                                                                  end of write section …
//     10                                                                  end task
//     11  await put
//     12  await has
//     13  end task
//       #15: lock made at 07-EveryPair.swift:50
//     replay: checkSendable(replay: "i1-1a6193b3-w131076-d4b-c23ad4")
//   checkSendable: Shelf: 1 of 6 pairs conflicts  07-EveryPair.swift:59
//            put       count     has
//     put    safe (2)  safe (2)  CONFLICT
//     count            safe (2)  safe (1)
//     has                        safe (1)
//     safe (n): all n orders of the controlled calls and of the sections that both begin pass,…
//     put + has: read 07-EveryPair.swift:55; write 07-EveryPair.swift:53
//   ✘ Test everyPair() failed after 1.111 seconds with 1 issue.

import Foundation
import Interlock
import InterlockTesting
import Testing

private final class Shelf: @unchecked Sendable {
  private let lock = NSLock()
  @Tracked private var books: [String: Int] = [:]

  func put(_ name: String) { lock.withLock { books[name, default: 0] += 1 } }
  func count(_ name: String) -> Int { lock.withLock { books[name] ?? 0 } }
  func has(_ name: String) -> Bool { books[name] != nil }
}

@Test func everyPair() async throws {
  try await checkSendable(of: Shelf(), budget: .seconds(120)) { check in
    check.operation("put") { $0.put("a") }
    check.operation("count") { $0.count("a") }
    check.operation("has") { $0.has("a") }
  }
}
