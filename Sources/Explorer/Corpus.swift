internal import Foundation
internal import Interlock

/// The failing orders of one body, kept from run to run in a file that a person can read.
///
/// A kept order is a list of context switches: which thread runs, and up to which of its calls. A
/// call is identified by its operation, its function, its file and a count, not by its line, so an
/// edit elsewhere in the file does not invalidate the order.
struct Corpus {
  /// A call that a thread is about to make.
  struct Call: Hashable {
    var operation: String
    var function: String
    var file: String
    /// The number of this call among the equal calls of its thread, from 1.
    var count: Int
  }

  /// A thread runs until its next call is `end`; `nil` lets it run as long as it can.
  struct Stretch: Hashable {
    var thread: Int
    var end: Call?
  }

  struct Order: Hashable {
    /// The engine's facts about the body (`INTERLOCK_FACT_…`) when the order failed.
    var facts: UInt32
    /// The keys of the memory accesses that are points of the order.
    var accesses: [UInt64] = []
    var stretches: [Stretch]
  }

  let path: String
  private let name: String
  private(set) var orders: [Order] = []
  /// Why the file was not read, in one line. A file with an error is never overwritten.
  private(set) var error: String?

  /// Reads the orders of the body `name` from its file in a folder; no file means no orders.
  init(of name: String, in folder: String) {
    let safe = name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    path = folder + "/" + String(safe) + ".orders"
    self.name = name
    guard FileManager.default.fileExists(atPath: path) else { return }
    guard let data = FileManager.default.contents(atPath: path),
      let text = String(data: data, encoding: .utf8)
    else {
      error = "\(path): expected a text file in UTF-8; it is not used"
      return
    }
    read(text)
  }

  private mutating func read(_ text: String) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.isEmpty || line.hasPrefix("#") { continue }
      if let order = Order(line) {
        orders.append(order)
      } else if let stretch = Stretch(line), !orders.isEmpty {
        orders[orders.count - 1].stretches.append(stretch)
      } else {
        error =
          "\(path):\(index + 1): expected 'order N' or 'THREAD until CALL | FUNCTION | FILE |"
          + " COUNT', found '\(line.prefix(60))'; the file is not used"
        orders = []
        return
      }
    }
  }

  /// Replaces the orders, and writes the file if it changes. Without orders the file is removed.
  ///
  /// Returns one line that says why the file could not be written; `nil` on success.
  mutating func replace(_ new: [Order]) -> String? {
    if error != nil { return nil }
    let sorted = Set(new).map { ($0, $0.text) }.sorted { $0.1 < $1.1 }
    if sorted.map(\.0) == orders { return nil }
    orders = sorted.map(\.0)
    let files = FileManager.default
    do {
      if orders.isEmpty {
        if files.fileExists(atPath: path) { try files.removeItem(atPath: path) }
        return nil
      }
      let folder = (path as NSString).deletingLastPathComponent
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let head =
        "# Orders in which \(name) failed. They are tried first; one that passes is removed.\n"
      let text = head + sorted.map(\.1).joined()
      try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
      return nil
    } catch {
      return "\(path): the failing order was not kept: \(error.localizedDescription)"
    }
  }
}

extension Corpus.Order {
  /// Parses `order 2`, or `order 2 977c6f62.3 977c6f62.4` if memory accesses are points.
  init?(_ line: Substring) {
    let fields = line.split(separator: " ", omittingEmptySubsequences: false)
    guard fields.count > 1, fields[0] == "order", let facts = UInt32(fields[1]) else { return nil }
    self.facts = facts
    stretches = []
    for field in fields[2...] {
      let parts = field.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, let function = UInt32(parts[0], radix: 16),
        let number = UInt32(parts[1])
      else { return nil }
      accesses.append(UInt64(function) << 32 | UInt64(number))
    }
  }

  var text: String {
    let accesses = accesses.map { key in
      " \(String(key >> 32, radix: 16)).\(UInt32(truncatingIfNeeded: key))"
    }
    return "order \(facts)\(accesses.joined())\n" + stretches.map { $0.text + "\n" }.joined()
  }
}

extension Corpus.Stretch {
  /// Parses `2 until lock | transfer(_:) | Bank.swift | 3`, or `2 until end`.
  init?(_ line: Substring) {
    let parts = line.split(separator: " ", maxSplits: 2)
    guard parts.count == 3, let thread = Int(parts[0]), thread >= 0, parts[1] == "until" else {
      return nil
    }
    self.thread = thread
    if parts[2] == "end" { return }
    let fields = parts[2].components(separatedBy: " | ")
    guard fields.count == 4, let count = Int(fields[3]), count > 0 else { return nil }
    end = Corpus.Call(operation: fields[0], function: fields[1], file: fields[2], count: count)
  }

  var text: String {
    guard let end else { return "\(thread) until end" }
    return "\(thread) until \(end.operation) | \(end.function) | \(end.file) | \(end.count)"
  }
}

extension Corpus.Order {
  /// The context switches of a schedule.
  init(_ schedule: Schedule, facts: UInt32, accesses: [UInt64]) {
    self.facts = facts
    self.accesses = accesses
    stretches = []
    var counter = CallCounter()
    // The call of each step.
    let calls = schedule.steps.map { step -> Corpus.Call in
      let call = counter.call(step)
      counter.count(call, of: step.thread)
      return call
    }
    for (index, step) in schedule.steps.enumerated() {
      let next = index + 1
      if next < schedule.steps.count, schedule.steps[next].thread == step.thread { continue }
      let later = schedule.steps[next...].firstIndex { $0.thread == step.thread }
      stretches.append(Corpus.Stretch(thread: step.thread, end: later.map { calls[$0] }))
    }
  }
}

/// Counts the calls of each thread during an execution, to number equal calls.
struct CallCounter {
  private var made: [Int: [Corpus.Call: Int]] = [:]

  /// The call that the thread is about to make, with its number.
  func call(_ step: Schedule.Step) -> Corpus.Call {
    let place = step.call ?? step.place
    let file = place?.file?.split(separator: "/").last.map(String.init) ?? ""
    var call = Corpus.Call(
      operation: step.operation, function: place?.function ?? "", file: file, count: 0)
    call.count = (made[step.thread]?[call] ?? 0) + 1
    return call
  }

  mutating func count(_ call: Corpus.Call, of thread: Int) {
    var key = call
    key.count = 0
    made[thread, default: [:]][key, default: 0] += 1
  }
}

extension Exploration {
  /// Reads the corpus file without executing an order.
  ///
  /// - Throws: What is wrong with the file, in one line.
  package func checkCorpus() throws(ExplorationRefusal) {
    guard let folder = options.corpus else { return }
    if let error = Corpus(of: name, in: folder).error {
      throw ExplorationRefusal(description: error)
    }
  }

  /// The path of the corpus file of the body; `nil` if failing orders are not kept.
  package var corpusFile: String? {
    guard let folder = options.corpus else { return nil }
    let corpus = Corpus(of: name, in: folder)
    return corpus.orders.isEmpty ? nil : corpus.path
  }
}
