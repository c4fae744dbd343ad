import Findings
import Foundation
import ProcessInspection

/// The findings that the processes of one `swift test` write to one file.
///
/// `swift test` starts a process for XCTest and then one for Swift Testing, and with `--parallel`
/// one for each test of XCTest, all with the same environment, so that each would replace the
/// earlier reports. Therefore each process keeps its findings in a file of the temporary folder,
/// and reports the findings of all processes that the same `swift test` started. The number of the
/// `swift test` process and its start time identify it. The findings of another `swift test` are
/// dropped.
struct SharedReport {
  /// The findings of one process.
  private struct Record: Codable {
    var run: String
    var process: String
    var findings: [Finding]
    var explored: ExploredTests?
  }

  /// Reads the parent and the temporary folder now: the parent may end before this process, and the
  /// program may choose another temporary folder.
  static func start() { _ = (run, folder) }

  /// The `swift test` that started this process; `nil` if another program did.
  private static let run: String? = {
    let parent = getppid()
    guard let (program, time) = Platform.beginning(of: parent), program.hasPrefix("swift-") else {
      return nil
    }
    return "\(parent)-\(time)"
  }()

  /// The folder in which all processes keep their findings.
  private static let folder = NSTemporaryDirectory() + "/interlock-reports-\(geteuid())"

  private static let process =
    "\(getpid())-\(Platform.beginning(of: getpid())?.time ?? "unknown")"

  /// Calls the body with the findings to report, while no other process writes this file.
  ///
  /// - Parameters:
  ///   - own: The findings of this process.
  ///   - explored: The results of the tests that this process explored.
  ///   - target: The report.
  ///   - body: Writes the report with these findings and tests.
  /// - Returns: What the body returns.
  static func write<Result>(
    _ own: [Finding], _ explored: ExploredTests?, to target: ReportTarget,
    _ body: ([Finding], ExploredTests?) -> Result
  ) -> Result {
    // A baseline keeps its earlier entries itself. It needs only the lock: it is read and then
    // written.
    let isBaseline = target.format.name == FindingFormat.baseline.name
    guard let path = target.path, !target.isOfOneProcess, !isStream(path),
      run != nil || isBaseline
    else { return body(own, explored) }
    guard let store = store(for: path) else {
      if !isBaseline {
        let line =
          "interlock: '\(path)' has the findings of this process alone: none can be kept in"
          + " '\(folder)'\n"
        _ = writeWhole(Array(line.utf8), to: STDERR_FILENO)
      }
      return body(own, explored)
    }
    // Releases the lock.
    defer { close(store) }
    while flock(store, LOCK_EX) != 0 {
      if errno != EINTR { return body(own, explored) }
    }
    guard let run, !isBaseline else { return body(own, explored) }
    let record = Record(run: run, process: process, findings: own, explored: explored)
    let all = add(record, to: store)
    return body(all.findings, all.explored)
  }

  /// Opens the store of a report; `nil` if none can be kept, or it is another user's.
  private static func store(for path: String) -> Int32? {
    mkdir(folder, 0o700)
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == geteuid(), status.st_mode & 0o022 == 0
    else { return nil }
    let name = Finding.Key.fingerprint(of: [canonicalPath(path)])
    let flags = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC
    let store = open("\(folder)/\(name)", flags, 0o600)
    return store >= 0 ? store : nil
  }

  /// Adds a record to a store, in place of an earlier one of the same process.
  ///
  /// - Returns: The findings and the explored tests of all processes of the run.
  private static func add(
    _ own: Record, to store: Int32
  ) -> (findings: [Finding], explored: ExploredTests) {
    let lines = contents(of: store).split(separator: UInt8(ascii: "\n"))
    // A process that was killed may have left part of a line.
    var records = lines.compactMap { try? JSONDecoder().decode(Record.self, from: Data($0)) }
    if records.contains(where: { $0.run != own.run }) {
      ftruncate(store, 0)
      records = []
    }
    if let line = try? JSONEncoder().encode(own) {
      // The line break at the start ends the part of a line that a killed process may have left.
      _ = writeWhole([UInt8(ascii: "\n")] + Array(line) + [UInt8(ascii: "\n")], to: store)
    }
    records.removeAll { $0.process == own.process }
    var list = FindingList()
    var explored = ExploredTests()
    for record in records + [own] {
      record.findings.forEach { list.add($0) }
      if let tests = record.explored { explored.formUnion(tests) }
    }
    return (list.all(), explored)
  }

  private static func contents(of store: Int32) -> Data {
    lseek(store, 0, SEEK_SET)
    return (try? FileHandle(fileDescriptor: store, closeOnDealloc: false).readToEnd()) ?? Data()
  }
}
