import CMarks
import Dispatch
import InterlockTestsC
import Testing

@testable import Interlock
@testable import SectionTable

private func writer(_ section: Section) {
  section.write(synched: true) {}
}

/// The report of a conflict, with both sides in full.
struct ReportTests {
  init() { Findings.collect() }

  @Test("a conflict shows mode, claim, thread, queue, place and stack of both sides")
  func bothSides() throws {
    let section = Section("report.sides")
    let queue = DispatchQueue(label: "report.queue")
    let inside = Gate()
    let leave = Gate()
    let reader = JoinableThread(named: "the reader") {
      section.read {
        inside.open(); leave.pass()
      }
    }
    inside.pass()
    onThread(named: "the writer") { queue.sync { writer(section) } }
    leave.open()
    reader.join()

    let conflict = try #require(Findings.conflicts(on: "report.sides").first)
    #expect(conflict.first.mode == .noWrite)
    #expect(conflict.first.synched == false)
    #expect(conflict.first.thread == "the reader")
    #expect(conflict.first.queue == nil)
    #expect(conflict.first.place.file == "InterlockTests/ReportTests.swift")
    #expect(conflict.first.stack.contains { $0.function?.contains("bothSides") == true })
    #expect(conflict.first.stackNote == nil)
    #expect(conflict.second.mode == .noReadWrite)
    #expect(conflict.second.synched)
    #expect(conflict.second.thread == "the writer")
    #expect(conflict.second.queue == "report.queue")
    #expect(conflict.second.place.function == "writer(_:)")
    #expect(conflict.second.stack.first?.function?.contains("writer") == true)
    #expect(conflict.second.stack.first?.file?.hasSuffix("ReportTests.swift") == true)
    #expect(conflict.second.stack.first?.line == conflict.second.place.line)
    #expect(conflict.second.stack.count > 2)
    #expect(conflict.second.stack.count <= 16)
  }

  @Test("without frame pointers the unwinder finds the stack of a conflict, and the report says so")
  func unwound() throws {
    let section = Section("report.unwound")
    section.begin(.noReadWrite)
    onThread {
      ThreadContext.current.pointee.stackHigh = 0
      section.read {}
    }
    section.end(.noReadWrite)
    let side = try #require(Findings.conflicts(on: "report.unwound").first?.second)
    #expect(side.stackNote?.contains("-fno-omit-frame-pointer") == true)
    #expect(side.stack.first?.file?.hasSuffix("ReportTests.swift") == true)
  }

  @Test("a walk of the stack goes upwards on aligned words, and stays within its bounds")
  func walk() {
    let count = 64
    let stack = UnsafeMutablePointer<UInt>.allocate(capacity: count)
    defer { stack.deallocate() }
    let low = UInt(bitPattern: stack) - 1
    let high = UInt(bitPattern: stack + count)
    func address(_ word: Int) -> UInt { UInt(bitPattern: stack + word) }
    /// The return addresses that the walk finds. The first frame is at word 0 and links to `next`;
    /// a good frame at word 10 links to `last`.
    func found(
      _ next: UInt, last: UInt = 0, from first: UInt? = nil, to high: UInt, second: UInt = 0x2_0000,
      limit: Int = 16
    ) -> [UInt] {
      stack.initialize(repeating: 0xBAD_0000, count: count)
      (stack[0], stack[1]) = (next, 0x1_0000)
      (stack[10], stack[11]) = (last, second)
      (stack[62], stack[63]) = (0, 0x3_0000)
      var frames = [UInt](repeating: 0, count: 16)
      let found = interlock_walk_frames_from(first ?? address(0), &frames, limit, low, high)
      return Array(frames.prefix(found))
    }
    #expect(found(address(10), last: address(62), to: high) == [0x1_0000, 0x2_0000, 0x3_0000])
    for limit in 0...2 {
      let all: [UInt] = [0x1_0000, 0x2_0000, 0x3_0000]
      let some = found(address(10), last: address(62), to: high, limit: limit)
      #expect(some == Array(all.prefix(limit)))
    }
    // A word that is no code address ends the walk.
    for small in [0, 1, 4095] as [UInt] {
      #expect(found(address(10), last: address(62), to: high, second: small) == [0x1_0000])
    }
    // The mark of an asynchronous function's frame is not part of the address.
    #expect(found(address(10) | 1 << 60, to: high) == [0x1_0000, 0x2_0000])
    // A stack with each possible end: the last frame is within the stack, or not.
    for less in 0..<8 as Range<UInt> {
      let all = found(address(10), last: address(62), to: high - less)
      #expect(all == [0x1_0000, 0x2_0000] + (less == 0 ? [0x3_0000] : []))
      // The walk reads no other memory: that would fault, or contain no return address. The far
      // addresses have each remainder of a division by eight.
      var astray: [UInt] = [0, address(0), low, high, high + 8, .max]
      astray += [address(10) + 1, address(10) + 4, address(62) + 8]
      for far in [high + 0x1000_0000, 0x1000, 0x6000_0000_0000_0000] as [UInt] {
        for rest in 0..<8 as Range<UInt> { astray.append(far + rest) }
      }
      for next in astray { #expect(found(next, to: high - less) == [0x1_0000]) }
    }
    for first in [0, low, address(62) + 8, address(0) + 4, high, .max] as [UInt] {
      #expect(found(address(10), from: first, to: high).isEmpty)
    }
    for high in [0, 15, low, address(1)] as [UInt] {
      #expect(found(address(10), to: high).isEmpty)
    }
  }

  #if os(Linux)
  @Test("a closure in top-level code, which the toolchain names without its module, has the module")
  func topLevelCode() {
    let frames = symbolicate([c_address_in_top_level_closure()])
    #expect(frames.map(\.function) == ["closure #1 in top-level code"])
  }

  @Test("an address that no symbol covers has its library's name")
  func withoutSymbol() throws {
    let address = c_address_in_header_of_library()
    let frame = try #require(symbolicate([address]).first)
    #expect(frame.function == nil)
    #expect(frame.description == "0x\(String(address, radix: 16))  (libc.so.6)")
  }
  #endif

  @Test("a report of a conflict has all its lines")
  func text() {
    let conflict = Conflict(
      resource: "cache.entries",
      first: Conflict.Side(
        mode: .noWrite, synched: false,
        place: Place(file: "App/Cache.swift", line: 12, function: "get(_:)"), thread: "main thread",
        queue: "com.apple.main-thread",
        stack: [StackFrame(address: 1, function: "Cache.get(_:)", file: "/a/Cache.swift", line: 12)]
      ),
      second: Conflict.Side(
        mode: .noReadWrite, synched: true,
        place: Place(file: "App/Cache.swift", line: 20, function: "set(_:)"), thread: "thread 7",
        queue: nil, task: 3,
        stack: [
          StackFrame(address: 2, function: "start_thread", image: "libc.so.6"),
          StackFrame(address: 255),
        ],
        stackNote: "a note"), count: 2)
    #expect(
      conflict.description == """
        interlock: conflict on 'cache.entries' (2 times)
          first, in the section: read  App/Cache.swift:12  get(_:)
            thread 'main thread', queue 'com.apple.main-thread'
            #0 Cache.get(_:)  Cache.swift:12
          second, at its begin: write, synched  App/Cache.swift:20  set(_:)
            thread 'thread 7', task 3
            #0 start_thread  (libc.so.6)
            #1 0xff
            (a note)
          The writer at App/Cache.swift:20 claims a lock; the reader at App/Cache.swift:12 \
        does not hold it.
        """)
  }

  @Test(
    "a delay that held the first section open has a length above zero",
    arguments: [
      (0, "less than 1 µs"), (1, "1 µs"), (99, "99 µs"), (100, "0.1 ms"), (3_149, "3.1 ms"),
    ])
  func heldOpen(microseconds: Int, text: String) {
    #expect(
      "\(Conflict.HeldOpen(microseconds: microseconds, seed: 7))"
        == "The first had been held open for \(text) by a near-miss delay, seed 7.")
  }

  @Test(
    "the last line of a report states the meaning of the conflict",
    arguments: [
      (false, false, "Nothing kept the writer at A:2 and the reader at A:1 apart."),
      (true, true, "Both claim a lock: they are not holding the same one."),
      (
        true, false,
        "The writer at A:2 holds no lock; the reader at A:1 claims one, and it does not keep the"
          + " writer out."
      ),
      (false, true, "The writer at A:2 claims a lock; the reader at A:1 does not hold it."),
    ])
  func meaning(readerSynched: Bool, writerSynched: Bool, meaning: String) {
    func side(_ mode: Mode, _ synched: Bool, _ line: Int) -> Conflict.Side {
      Conflict.Side(
        mode: mode, synched: synched, place: Place(file: "A", line: line, function: ""),
        thread: "", queue: nil, stack: [])
    }
    let reader = side(.noWrite, readerSynched, 1)
    let writer = side(.noReadWrite, writerSynched, 2)
    #expect(Conflict(resource: "", first: reader, second: writer).meaning == meaning)
    #expect(Conflict(resource: "", first: writer, second: reader).meaning == meaning)
  }

  @Test("the same pair of places on the same resource is reported once, with a count")
  func once() {
    let section = Section("report.once")
    for _ in 0..<5 {
      section.begin(.noWrite)
      onThread { section.write {} }
      section.end(.noWrite)
    }
    let found = Findings.conflicts(on: "report.once")
    #expect(found.count == 1)
    #expect(found.first?.count == 5)
    section.begin(.noWrite)
    onThread { section.write {} }
    section.end(.noWrite)
    #expect(Findings.conflicts(on: "report.once").count == 2, "another pair of places")
  }
}
