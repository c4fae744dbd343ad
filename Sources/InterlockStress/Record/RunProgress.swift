import StressRunner

/// The record of a run in progress: a new one, or one that is continued.
final class RunProgress {
  private let path: String?
  private let head: RecordHead
  private let resumed: Record?
  private let command: CommandName
  private var writer: RecordWriter?

  /// The trials that an earlier run has judged, by their index among the trials of all shards.
  var done: [Int: TrialResult] { resumed?.results ?? [:] }

  /// Reads the record to continue, if the options name one. Writes nothing.
  ///
  /// - Throws: An error if the record cannot be continued.
  init(_ options: Options, _ head: RecordHead, of command: CommandName) throws {
    self.head = head
    self.command = command
    if options.record != nil, options.resumed != nil {
      throw UsageError("'--resume <file>' continues its own file: leave '--record' out", command)
    }
    path = options.resumed ?? options.record
    resumed = try options.resumed.map { try Record($0) }
    guard let resumed else { return }
    let old = resumed.head
    let difference =
      old.version != head.version
      ? "its version is \(old.version), and this is \(head.version)"
      : head.difference(from: old) ?? (old.shard == head.shard ? nil : "the shard is another")
    if let difference {
      let message = "is the record of another run: \(difference)"
      throw ScenarioErrors(errors: [ScenarioError(path: resumed.path, line: 1, message: message)])
    }
  }

  /// Opens the record, and writes its head if it is new.
  func begin() throws(UsageError) {
    guard let path else { return }
    writer = try RecordWriter(path: path, head, continuesAt: resumed?.length, of: command)
  }

  /// Records a judged trial.
  func add(_ result: TrialResult, index: Int) { writer?.add(result, index: index) }

  /// The path of the record and the reason, if it could not be written.
  var failures: [(path: String, reason: String)] {
    guard let path, let reason = writer?.failure else { return [] }
    return [(path, reason)]
  }
}
