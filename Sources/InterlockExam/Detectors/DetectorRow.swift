/// A line of the table: programs of the same kind.
struct DetectorRow: Equatable {
  /// The fault of the programs, or for correct programs a text that says so.
  var title: String
  /// The programs' names.
  var programs: [String]
  /// Whether they are correct, so that every report is a false one.
  var isCorrect = false

  /// All rows; a faulty program is followed by its correct twin.
  static let all = [
    DetectorRow(title: "racy, 50 ops", programs: ["short-writes-unlocked"]),
    DetectorRow(title: "race masked by an unrelated lock", programs: ["short-writes-masked"]),
    twin(["short-writes-locked"]),
    DetectorRow(title: "check-then-act under locks", programs: ["look-then-change"]),
    twin(["look-and-change"]),
    DetectorRow(title: "file read-modify-write", programs: ["file-rewritten-by-two"]),
    twin(["file-rewritten-in-turn"]),
    DetectorRow(title: "ABBA over a pthread mutex", programs: ["posix-mutexes-both-ways"]),
    twin(["posix-mutexes-one-way"]),
    DetectorRow(title: "ABBA over NSLock", programs: ["transfers-both-ways"]),
    twin(["transfers-by-number"]),
    DetectorRow(title: "ABBA over a pthread rwlock", programs: ["read-write-locks-both-ways"]),
    twin(["readers-both-ways"]),
    DetectorRow(title: "ABBA over a semaphore", programs: ["semaphores-both-ways"]),
    twin(["semaphores-one-way"]),
    DetectorRow(title: "ABBA over serial queues", programs: ["queues-both-ways"]),
    twin(["queues-answer-asynchronously"]),
    DetectorRow(
      title: "ABBA over Mutex, by LockStrategies", programs: ["stdlib-mutexes-both-ways"]),
    twin(["stdlib-mutexes-one-way"]),
    DetectorRow(
      title: "ABBA over Mutex, by sections", programs: ["section-mutexes-both-ways"]),
    twin(["section-mutexes-one-way"]),
    DetectorRow(title: "ABBA over Mutex, used directly", programs: ["own-mutexes-both-ways"]),
    twin(["own-mutexes-one-way"]),
    DetectorRow(
      title: "ABBA under a gate (safe)", programs: ["under-a-gate-lock", "under-a-gate-queue"],
      isCorrect: true),
    DetectorRow(
      title: "counter under 9 primitives but Mutex",
      programs: [
        "posix-mutex", "nslock", "recursive-lock", "reader-writer-lock", "semaphore",
        "serial-queue", "barrier", "spin-lock", "actor",
      ].map { "guarded-by-\($0)" }, isCorrect: true),
    DetectorRow(
      title: "counter under Mutex", programs: ["guarded-by-stdlib-mutex"], isCorrect: true),
  ]

  /// The rows whose titles contain a text, each with its twin.
  static func all(titled text: String) -> [DetectorRow] {
    var isWanted = false
    return all.filter { row in
      if row.title != twinTitle { isWanted = row.title.contains(text) }
      return isWanted
    }
  }

  private static let twinTitle = "  its correct twin"

  private static func twin(_ programs: [String]) -> DetectorRow {
    DetectorRow(title: twinTitle, programs: programs, isCorrect: true)
  }
}
