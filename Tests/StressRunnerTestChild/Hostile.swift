import Foundation
import Reports
import StressRunner
import StressRunnerTestC

// Hostile subjects, and their run in an enclosure: new namespaces and file systems.

/// Every action of the C table as a subject, and the subject that must pass after each of them.
let hostileSubjects: [SubjectEntry] =
  (0..<hostile_count()).map { index in
    subject(hostileName(index)) { _ in hostile_run(index) }
  } + [subject("benign") { _ in lookAtFolder() }]

private func hostileName(_ index: Int) -> String {
  hostile_at(index).map { String(cString: $0.pointee.name) } ?? ""
}

/// Ends the process if the trial's folder for temporary files is wrong.
private func lookAtFolder() {
  let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
  let above = (folder as NSString).deletingLastPathComponent
  // The parent of that folder must belong to the subject alone, so it must not be a common folder.
  if ["", "/", "/tmp"].contains(above) { exit(11) }
  if ["", "/", "/tmp"].contains((above as NSString).deletingLastPathComponent) { exit(12) }
  guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { exit(13) }
  if !names.isEmpty { exit(14) }
  // If memory is short, the system must end the trial before the runner.
  let score = FileManager.default.contents(atPath: "/proc/self/oom_score_adj") ?? Data()
  if String(decoding: score, as: UTF8.self) != "1000\n" { exit(16) }
  let bytes = Data(repeating: 1, count: 1 << 20)
  if (try? bytes.write(to: URL(fileURLWithPath: folder + "/file"))) == nil { exit(15) }
}

/// The result of a trial in the enclosure, as a line of JSON.
struct HostileResult: Codable {
  var index: Int
  var verdict: String
  var message: String
  var seconds: Double
  /// The subject's standard error.
  var errors: String
}

/// The files and processes that are left after the run.
struct HostileRemains: Codable {
  /// The processes other than the runner, by their command lines.
  var processes: [String]
  /// The content of `/tmp`, and of the folder there to which a subject has links.
  var files: [String]
  /// The runner's messages about what it could not remove.
  var said: [String]
}

/// `hostile MOUNT-POINT JOBS NAME=SECONDS ...`: runs a trial of each subject with its time limit,
/// each followed by a trial of `benign`, and prints the results. Ends with 77 and the reason if an
/// enclosure is not possible.
///
/// Without arguments: prints the names of all subjects.
func runHostile(_ arguments: [String]) -> Never {
  if arguments.isEmpty {
    print(hostileSubjects.map(\.name).joined(separator: "\n"))
    exit(0)
  }
  guard arguments.count > 2, let jobs = Int(arguments[1]) else { exit(64) }
  if let reason = enclose(at: arguments[0]) {
    print(reason)
    exit(77)
  }
  // The enclosure has its own `/tmp`.
  setenv("TMPDIR", "/tmp", 1)
  // `/tmp` already has the path to this package if the package lies below the machine's own `/tmp`.
  let earlier = filesInTmp()
  var trials: [Trial] = []
  for word in arguments.dropFirst(2) {
    let parts = word.split(separator: "=")
    guard parts.count == 2, let seconds = Double(parts[1]) else { exit(64) }
    trials.append(hostileTrial(String(parts[0]), seconds: seconds))
    trials.append(hostileTrial("benign", seconds: 60))
  }
  var said: [String] = []
  let ending = TrialRunner(jobs: jobs).run(trials) { event in
    if case .warning(let line) = event { said.append(line) }
    if case .finished(let index, let result) = event {
      write(
        HostileResult(
          index: index, verdict: result.verdict.kind.rawValue, message: result.message,
          seconds: result.observation.seconds,
          errors: result.observation.errorOutput))
    }
  }
  let files = filesInTmp().filter { !earlier.contains($0) }
  let kept = (try? FileManager.default.contentsOfDirectory(atPath: "/tmp/precious")) ?? []
  write(
    HostileRemains(
      processes: otherProcesses(), files: (files + kept.map { "precious/" + $0 }).sorted(),
      said: said))
  exit(ending == .completed ? 0 : 1)
}

private func filesInTmp() -> [String] {
  (try? FileManager.default.contentsOfDirectory(atPath: "/tmp")) ?? ["unreadable"]
}

private func hostileTrial(_ subject: String, seconds: Double) -> Trial {
  let scenario = Scenario(
    name: "hostile", summary: "One get.", source: "a test",
    workload: Workload(
      driver: .threads, phases: [.init(callers: 1, rounds: 1, operations: .sequence([.get]))],
      keys: 1, valueBytes: 0, preparesAllKeys: false, seed: 1),
    limits: Limits(stallSeconds: 60, timeSeconds: seconds, memoryMebibytes: 256),
    oracles: [.completesOnce], expectations: [:])
  return Trial(scenario: scenario, subject: subject, seed: 1)
}

private func write(_ value: some Encodable) {
  guard var line = try? JSONEncoder().encode(value) else { return }
  line.append(UInt8(ascii: "\n"))
  FileHandle.standardOutput.write(line)
}

/// The processes other than this one and the first of the namespace, without the zombies that this
/// process must not reap.
private func otherProcesses() -> [String] {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return names.compactMap { name in
    guard let number = Int32(name), number != 1, number != getpid(),
      let status = FileManager.default.contents(atPath: "/proc/\(number)/stat"),
      let line = FileManager.default.contents(atPath: "/proc/\(number)/cmdline")
    else { return nil }
    let fields = String(decoding: status, as: UTF8.self)
    if let end = fields.lastIndex(of: ")"), fields[end...].hasPrefix(") Z"),
      !fields[end...].hasPrefix(") Z \(getpid()) ")
    {
      return nil
    }
    return fields.prefix(60) + " " + String(decoding: line, as: UTF8.self)
  }
}

/// The reason why an enclosure is not possible; `nil` in the enclosed process.
private func enclose(at mountPoint: String) -> String? {
  var folders = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc"]
  // Read-only: the executable, and the toolchain with its libraries and its backtracer.
  let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  folders.append((own.map { $0 as NSString } ?? "/").deletingLastPathComponent)
  if let library = hostile_library_of("swift_retain") {
    var path = String(cString: library)
    for _ in 0..<4 { path = (path as NSString).deletingLastPathComponent }
    if path != "/usr", !path.isEmpty { folders.append(path) }
  }
  var words = folders.map { UnsafePointer(strdup($0)) } as [UnsafePointer<CChar>?]
  if let failure = hostile_enclose(mountPoint, &words, folders.count, 240) {
    return String(cString: failure)
  }
  return hostile_reach().map { String(cString: $0) }
}
