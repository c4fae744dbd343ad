internal import CInterlockMemory
internal import Interlock

/// One access of a race in memory, with its stack as functions and lines.
struct RaceSide {
  private let side: interlock_memory_side
  let frames: [StackFrame]
  private let locks: [String]

  init(_ side: interlock_memory_side) {
    self.side = side
    frames = symbolicate(Self.addresses(of: side))
    locks = Self.held(by: side).map { held in
      let place = symbolicate([held.place]).first.map { ", acquired at \($0)" } ?? ""
      return "the lock at 0x\(String(held.object, radix: 16))\(place)"
    }
  }

  /// The function and the line; the line of the other side where this one has none in the same
  /// function, as the beginning of a mutation in place.
  func place(beside other: RaceSide) -> String {
    guard let frame = frames.first else { return "" }
    let beside = other.frames.first.flatMap { $0.function == frame.function ? $0.line : nil }
    return "\(frame.function ?? ""):\(frame.line ?? beside ?? 0)"
  }

  /// `write of 8 bytes at Box.add()  Box.swift:12`.
  var headline: String { "\(kind) at \(frames.first?.description ?? "a place that is not known")" }

  /// The access in full.
  func lines(as title: String) -> [String] {
    var context = [side.thread == 0 ? "an unknown thread" : "thread \(side.thread)"]
    if side.task != 0 { context.append("task \(side.task)") }
    let queue = Self.text(side.queue)
    if !queue.isEmpty { context.append("queue '\(queue)'") }
    if !side.is_known { context = ["its thread and locks are not known any more"] }
    if side.is_known && locks.isEmpty { context.append("holds no lock") }
    return ["  \(title): \(kind)", "    \(context.joined(separator: ", "))"]
      + locks.map { "    holds \($0)" }
      + frames.enumerated().map { "    #\($0.offset) \($0.element)" }
  }

  private var kind: String {
    let word = side.is_write ? "write" : "read"
    let count = side.size == 1 ? "1 byte" : "\(side.size) bytes"
    return (side.is_atomic ? "atomic " : "") + "\(word) of \(count)"
  }

  private static func addresses(of side: interlock_memory_side) -> [UInt] {
    var frames = side.frames
    let count = Int(side.frame_count)
    return withUnsafeBytes(of: &frames) { bytes in
      bytes.bindMemory(to: UInt.self).prefix(count).map { $0 }
    }
  }

  private static func held(by side: interlock_memory_side) -> [interlock_memory_held] {
    var held = side.held
    let count = Int(side.held_count)
    return withUnsafeBytes(of: &held) { bytes in
      bytes.bindMemory(to: interlock_memory_held.self).prefix(count).map { $0 }
    }
  }

  /// The text of an array of characters that ends by 0.
  private static func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

/// The report of a race.
enum RaceText {
  /// The lines for a reader: the headline, and both accesses in full.
  static func lines(_ now: RaceSide, _ before: RaceSide) -> [String] {
    ["interlock: race in memory: nothing orders the \(now.headline) after the \(before.headline)"]
      + before.lines(as: "first") + now.lines(as: "second")
  }
}
