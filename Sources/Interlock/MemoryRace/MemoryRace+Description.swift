extension MemoryRace: CustomStringConvertible {
  /// The race in one line.
  package var sentence: String {
    "\(isDecided ? "nothing" : "nothing that is seen") orders the \(second.headline)"
      + " after the \(first.headline)"
  }

  /// The report for a reader: the headline, and both accesses in full.
  package var description: String {
    let title = isDecided ? "race in memory" : "race in memory, not decided"
    let lines = ["interlock: \(title): \(sentence)"] + sides + plainCodeSentences.map { "  " + $0 }
    return lines.joined(separator: "\n")
  }

  /// Both accesses in full, with the variable and the meaning of the race.
  package var lines: [String] { sides + ["  \(meaning)"] }

  private var sides: [String] {
    (variable.map { ["  accessed: \($0)"] } ?? []) + first.lines(as: "first")
      + second.lines(as: "second")
  }

  /// The meaning of the race in one sentence, followed by the code that may order the accesses
  /// unseen.
  package var meaning: String {
    ([order] + plainCodeSentences).joined(separator: " ")
  }

  /// The code that may order the accesses unseen; empty if there is none.
  private var plainCodeSentences: [String] {
    guard !plainCode.isEmpty else { return [] }
    let most = 8
    let names = plainCode.prefix(most).joined(separator: ", ")
    let rest = plainCode.count > most ? " and \(plainCode.count - most) more" : ""
    return [
      "Code that is compiled without '-sanitize=thread' ran in between and may order the two:"
        + " \(names)\(rest)."
    ]
  }

  private var order: String {
    guard first.isKnown, second.isKnown else {
      return "Nothing puts one before the other; what both held is not known any more."
    }
    switch [first, second].filter({ !$0.locks.isEmpty }).count {
    case 2: return meaningOfLocks
    case 1: return "Only one of the two holds a lock, which does not keep the other out."
    default: return "No lock, queue, task or atomic operation puts one before the other."
    }
  }

  private var meaningOfLocks: String {
    let common = first.locks.filter { lock in
      second.locks.contains { $0.object == lock.object }
    }
    guard let lock = common.first else {
      return "Both hold a lock: they do not hold the same one."
    }
    let isRead = (first.locks + second.locks).allSatisfy { $0.object != lock.object || $0.isShared }
    return isRead
      ? "Both hold the same lock for reading, which does not keep the other out."
      : "Both hold a lock at the same address, which did not keep them apart: it admits several"
        + " at once, or is another lock by now."
  }
}

extension MemoryRace.Side {
  /// `atomic write of 8 bytes`
  package var access: String {
    let word = isWrite ? "write" : "read"
    let count = size == 1 ? "1 byte" : "\(size) bytes"
    return (isAtomic ? "atomic " : "") + "\(word) of \(count)"
  }

  /// `write of 8 bytes at Box.add()  Box.swift:12`
  package var headline: String {
    "\(access) at \(isPlaceKnown ? place.description : "a place that is not known")"
  }

  /// `thread 3050, task 10`, or the name in the schedule: system thread ids differ between
  /// executions.
  package var runner: String {
    if let party { return party }
    let name = thread.map { "thread \($0)" } ?? "an unknown thread"
    return task.map { "\(name), task \($0)" } ?? name
  }

  /// `thread 3050, task 10, queue 'cache', holds no lock`
  package var owner: String {
    guard isKnown else { return "its thread and locks are not known any more" }
    var context = [runner]
    if let queue { context.append("queue '\(queue)'") }
    if locks.isEmpty { context.append("holds no lock") }
    return context.joined(separator: ", ")
  }

  /// One line for each lock: `holds the lock at 0x7f0f5c010580, acquired at Box.add()
  /// Box.swift:12`.
  package var lockLines: [String] {
    locks.map { lock in
      "holds the lock at \(lock.object)" + (lock.isShared ? " for reading" : "")
        + (lock.place.map { ", acquired at \($0)" } ?? "")
    }
  }

  /// The access in full, below a title.
  fileprivate func lines(as title: String) -> [String] {
    ["  \(title): \(access)", "    \(owner)"] + lockLines.map { "    " + $0 }
      + stack.enumerated().map { "    #\($0.offset) \($0.element)" }
  }
}
