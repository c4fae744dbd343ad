import Foundation
import Testing

@testable import StressRunner
import ProcessInspection

/// A runner to which this machine refuses a resource.
@Suite(
  "A runner that lacks what a trial needs",
  .disabled(if: Platform.isUnderThreadSanitizer, "its runtime needs more than the limits here"))
struct RunnerFaultTests {
  /// Runs `trials` trials of a subject that passes, in a shell command that sets a limit.
  private func run(
    _ command: String, executable: String = childExecutable, trials: Int
  ) throws -> (code: Int32, passed: Int, all: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let program = trials == 0 ? "" : " quick \(trials)"
    process.arguments = ["-c", "\(command) \"$0\"\(program)", executable]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    return (process.terminationStatus, text.matches(of: /"kind":"passed"/).count, text)
  }

  @Test(
    "A runner without descriptors ends with the reason, and no trial counts as skipped",
    arguments: [8, 14])
  func descriptors(most: Int) throws {
    let (code, passed, all) = try run("ulimit -n \(most) && exec", trials: 3)
    #expect(code == 70)
    #expect(passed == 0)
    #expect(!all.contains("skipped"))
    #expect(all.contains("Too many open files"), "\(all)")
  }

  /// Runs as a user without other processes: the limit counts all processes of a user, and excludes
  /// the administrator.
  @Test(
    "A runner without threads ends with the reason, and no trial has a verdict",
    .enabled(if: geteuid() == 0 && access("/usr/bin/prlimit", X_OK) == 0, "needs another user"),
    arguments: 2...4)
  func threads(most: Int) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("runner-fault-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // That user may not reach the build folder. The folder for temporary files is the tests' own.
    #expect(chmod(FileManager.default.temporaryDirectory.path, 0o711) == 0)
    let copy = folder.appendingPathComponent("child").path
    // Copied by another process: a process that another test starts meanwhile would inherit the
    // open file, and a file that is open for writing cannot be executed.
    try #require(run("cp '\(childExecutable)'", executable: copy, trials: 0).code == 0)
    #expect(chmod(folder.path, 0o777) == 0)
    let user = "setpriv --reuid=\(700_000 + most) --regid=700000 --clear-groups"
    if try run("exec \(user) test -x", executable: copy, trials: 0).code != 0 {
      try Test.cancel("the user cannot reach \(folder.path)")
    }
    let (code, passed, all) = try run(
      "TMPDIR=\(folder.path) exec \(user) prlimit --nproc=\(most)", executable: copy, trials: 2)
    #expect(code == 70, "\(all)")
    #expect(passed == 0)
    #expect(all.contains("the system refuses a trial the thread for its workload"), "\(all)")
  }

  @Test("A runner whose parent ignores the ends of its children judges their trials")
  func ignoredChildren() async {
    await #expect(processExitsWith: .success) {
      signal(SIGCHLD, SIG_IGN)
      var runner = TrialRunner(jobs: 1)
      runner.executable = childExecutable
      var verdicts: [Verdict.Kind] = []
      var warnings = 0
      let ending = runner.run([makeTrial("quick"), makeTrial("exit-three")]) {
        if case .finished(_, let result) = $0 { verdicts.append(result.verdict.kind) }
        if case .warning = $0 { warnings += 1 }
      }
      // The process's own setting is unchanged.
      let isIgnored = signal(SIGCHLD, SIG_DFL).map { unsafeBitCast($0, to: Int.self) } == 1
      let isTrue = ending == .completed && verdicts == [.passed, .crashed] && warnings == 0
      exit(isTrue && isIgnored ? 0 : 1)
    }
  }

  @Test("A runner with too small a file size limit ends with the reason, not by a signal")
  func fileSize() async {
    // In a separate process: the limit cannot be raised again.
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 512, rlim_max: 512)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      // Threads of pools block this signal, and so do processes that they start.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGXFSZ)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      var runner = TrialRunner(jobs: 1)
      runner.executable = childExecutable
      var events = 0
      let ending = runner.run([makeTrial("quick")]) { _ in events += 1 }
      let refused = TrialRunner.Ending.failed(reason: "no shared memory: File too large")
      exit(ending == refused && events == 0 ? 0 : 1)
    }
  }

  @Test("A runner that gets no thread for symbols names stacks itself instead of waiting")
  func noThread() {
    var seen = Observation(ending: .stalled, operations: 1)
    seen.completed = 7
    let naming = StackNaming(
      of: RawStacks(threads: [], origins: [:]), in: seen, index: 0,
      stackBytes: 1 << 50, symbolicate: { _ in [] })
    #expect(naming.observation?.completed == 7)
  }

  @Test("A runner that lacks a resource names it, and leaves nothing behind")
  func reason() {
    var runner = TrialRunner(jobs: 2)
    runner.executable = "/no/such/executable"
    var events = 0
    let ending = runner.run([makeTrial("quick"), makeTrial("quick")]) { _ in events += 1 }
    guard case .failed(let reason) = ending else {
      Issue.record("\(ending)")
      return
    }
    #expect(reason == "/no/such/executable could not be started: No such file or directory")
    #expect(events == 0)
  }

  @Test(
    "While a trial only waits, a runner with two jobs runs another, and a runner with one does not")
  func besideWaiting() async {
    // In a separate process, which the interrupt ends.
    await #expect(processExitsWith: .success) {
      var runner = TrialRunner(jobs: 2)
      runner.executable = childExecutable
      let waiting = makeTrial("one-sleep")
      var finished: [Int] = []
      let ending = runner.run([waiting, waiting, makeTrial("quick")]) {
        guard case .finished(let index, _) = $0 else { return }
        finished.append(index)
        raise(SIGINT)
      }
      runner.jobs = 1
      var starts: [Double] = []
      _ = runner.run([makeTrial("one-sleep", makeScenario(time: 2)), makeTrial("quick")]) {
        if case .started = $0 { starts.append(Platform.now) }
      }
      let isInTurn = starts.count == 2 && starts[1] - starts[0] >= 2
      exit(ending == .interrupted && finished == [2] && isInTurn ? 0 : 1)
    }
  }

  @Test("A runner with resources for only some trials at a time still judges all")
  func fewer() async throws {
    // In a separate process: the limit cannot be raised again.
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 64, rlim_max: 64)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var runner = TrialRunner(jobs: 40)
      runner.executable = childExecutable
      var passed = 0
      let ending = runner.run(
        Array(repeating: makeTrial("quick", makeScenario(callers: 1)), count: 60)
      ) {
        if case .finished(_, let result) = $0, result.verdict.kind == .passed { passed += 1 }
      }
      exit(ending == .completed && passed == 60 ? 0 : 1)
    }
  }
}
