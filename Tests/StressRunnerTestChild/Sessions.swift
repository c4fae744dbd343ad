import Foundation
import StressRunner

// Subjects that start processes outside of all process groups that the runner knows.

#if canImport(Darwin)
private let newSession: Int16 = 0x400
#else
private let newSession: Int16 = 0x80
#endif

/// Starts an executable, in a new session if requested; traps if that fails.
private func start(
  _ executable: String, _ arguments: [String], environment: [String: String],
  inNewSession isNewSession: Bool
) {
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  posix_spawnattr_setflags(&attributes, isNewSession ? newSession : 0)
  var process: pid_t = 0
  var words = arguments.map { strdup($0) } + [nil]
  var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
  defer { (words + variables).forEach { free($0) } }
  let code = posix_spawn(&process, executable, nil, &attributes, &words, &variables)
  guard code == 0 else { fatalError("\(executable): \(String(cString: strerror(code)))") }
  guard (getsid(process) == process) == isNewSession else { fatalError("another session") }
}

/// Starts `sleep` twice, each in a new session, for the number of seconds in the environment: with
/// this process's environment, and with an empty one.
private func startSleepers() {
  let environment = ProcessInfo.processInfo.environment
  let seconds = environment["GRANDCHILD_SECONDS"] ?? "1000"
  for variables in [environment, [:]] {
    start("/bin/sleep", ["sleep", seconds], environment: variables, inNewSession: true)
  }
}

/// Starts the sleepers on first use; later callers wait until they have started.
private let sleepers: Void = {
  startSleepers()
  guard let text = ProcessInfo.processInfo.environment["READY_DESCRIPTOR"], let ready = Int32(text)
  else { return }
  _ = write(ready, "r", 1)
}()

/// Starts a runner, which runs the subject that never ends, and waits until the runner has started
/// its child.
private func startRunner() {
  var ends: [Int32] = [0, 0]
  guard pipe(&ends) == 0 else { fatalError("no pipe") }
  // The runner and its child inherit this descriptor, at a number that neither uses.
  let ready = dup2(ends[1], 100)
  var environment = ProcessInfo.processInfo.environment
  environment["READY_DESCRIPTOR"] = "\(ready)"
  start(
    "/proc/self/exe", ["runner", "hold-sessions"], environment: environment, inNewSession: false)
  var byte: UInt8 = 0
  guard read(ends[0], &byte, 1) == 1 else { fatalError("nothing came") }
}

let sessionSubjects: [SubjectEntry] = [
  subject("sessions") { _ in startSleepers() },
  subject("trap-sessions") { _ in
    startSleepers()
    fatalError("out of apples")
  },
  subject("hold-sessions") { _ in
    _ = sleepers
    while true { pause() }
  },
  subject("nested-runner") { _ in startRunner() },
]
