import CInterlockHarness
import Foundation
import ProcessInspection

/// A child process: its pipes, and its end.
final class ChildProcess {
  /// What it should be started as.
  struct Launch {
    /// The executable.
    var executable: String
    /// What it gets as its arguments, the name first.
    var arguments: [String]
    /// Its whole environment.
    var environment: [String: String]
  }

  /// So much of what it wrote to standard error is kept.
  private static let keptErrorOutput = 8 << 10
  /// So many more descriptors must be free than a child needs: to look at it.
  private static let spareDescriptors: Int32 = 8
  /// What is not dead so long after SIGKILL sits in a driver, or its tracer cannot be found: it is
  /// left.
  private static let endPatience = 5.0

  /// The process's number, and that of its group.
  let process: pid_t
  /// The memory that it shares with this process.
  let table: ProgressTable
  /// When it was started.
  let startedAt: Double

  private var events: Pipe
  private var output: Pipe
  private var errors: Pipe
  private var isEnded = false
  private var eventLines = EventLines()
  /// What the child and all that it starts are known by. Not read from the table, which the child
  /// can write to.
  private let mark: ChildMark?

  /// Bytes written to standard output and standard error, so far.
  private(set) var outputBytes = 0
  /// The last of standard error.
  private(set) var errorOutput: [UInt8] = []

  /// A pipe's end in this process.
  private struct Pipe {
    var descriptor: Int32
    var isOpen = true
    var pending: [UInt8] = []
  }

  /// Starts a child, in a process group of its own.
  init(_ trial: Trial, as launch: Launch) throws(RunnerFault) {
    mark = Platform.makeMark()
    guard let (table, shared) = ProgressTable.make(for: trial, mark: mark) else {
      throw RunnerFault(reason: "no shared memory: \(String(cString: strerror(errno)))")
    }
    // Above the numbers that the child finds its own at.
    let raised = fcntl(shared, F_DUPFD_CLOEXEC, 10)
    close(shared)
    var opened = raised >= 0 ? [raised] : []
    func closeAll() {
      opened.forEach { close($0) }
    }
    var pipes: [(read: Int32, write: Int32)] = []
    for _ in 0..<3 {
      guard raised >= 0, let pair = Self.makePipe() else {
        let reason = String(cString: strerror(errno))
        closeAll()
        table.unmap()
        throw RunnerFault(reason: "no pipe: \(reason)")
      }
      pipes.append(pair)
      opened += [pair.read, pair.write]
    }
    // Else it would run unwatched.
    let spare = (0..<Self.spareDescriptors).map { _ in fcntl(raised, F_DUPFD_CLOEXEC, 0) }
    let reason = String(cString: strerror(errno))
    spare.filter { $0 >= 0 }.forEach { close($0) }
    guard !spare.contains(-1) else {
      closeAll()
      table.unmap()
      throw RunnerFault(reason: "no descriptors to watch a child with: \(reason)")
    }
    startedAt = Platform.now
    var launch = launch
    if let width = trial.scenario.poolWidth {
      launch.environment[INTERLOCK_POOL_WIDTH_VARIABLE] = String(width)
    }
    let (code, process) = Self.spawn(
      launch, shared: raised, events: pipes[0].write, output: pipes[1].write,
      errors: pipes[2].write)
    guard code == 0 else {
      closeAll()
      table.unmap()
      throw RunnerFault(
        reason: "\(launch.executable) could not be started: \(String(cString: strerror(code)))")
    }
    close(raised)
    for pair in pipes {
      close(pair.write)
      _ = fcntl(pair.read, F_SETFL, O_NONBLOCK)
    }
    self.table = table
    self.process = process
    events = Pipe(descriptor: pipes[0].read)
    output = Pipe(descriptor: pipes[1].read)
    errors = Pipe(descriptor: pipes[2].read)
  }

  /// The descriptors to wait on: what can still be read from.
  var descriptors: [Int32] {
    [events, output, errors].filter(\.isOpen).map(\.descriptor)
  }

  /// Whether the child has closed the pipe for events, as it does when it ends.
  var isSilent: Bool { !events.isOpen }

  /// Whether it wrote to the pipe for events what no child has to say.
  var isFloodingEvents: Bool { eventLines.isFlooded }
  /// Bytes written to the pipe for events, so far.
  var eventBytes: Int { eventLines.bytes }

  /// Reads what there is, without waiting, and gives the events that came, in order.
  func read() -> [ChildEvent] {
    outputBytes += take(from: &output, keeping: 0)
    outputBytes += take(from: &errors, keeping: Self.keptErrorOutput)
    errorOutput = errors.pending
    _ = take(from: &events, keeping: 2 << 20)
    defer { events.pending = [] }
    return eventLines.take(events.pending, at: Platform.now - startedAt)
  }

  /// Whether the process has ended by itself. It is not reaped yet, so its number is still its own.
  var hasEnded: Bool {
    var information = siginfo_t()
    let options = WEXITED | WNOHANG | WNOWAIT
    return waitid(P_PID, id_t(process), &information, options) == 0
      && information.si_signo == SIGCHLD
  }

  /// Kills what is left of the process, of its group and of what it has started in any other, reaps
  /// it, and gives its wait status; `nil` where it is not dead in time. To be called once.
  func end() -> Int32? {
    guard !isEnded else { return nil }
    isEnded = true
    kill(-process, SIGKILL)
    kill(process, SIGKILL)
    let deadline = Platform.now + Self.endPatience
    var status = reap(within: 0.02)
    while status == nil, Platform.now < deadline {
      // A process that traces it hears of its end first, and may keep it: another of the trial's,
      // or this one.
      if let mark { Platform.killAll(with: mark, startedBy: process) }
      Platform.reapTracedThreads(of: process)
      status = reap(within: 0.05)
    }
    // What has joined the group meanwhile.
    kill(-process, SIGKILL)
    if let mark { Platform.killAll(with: mark, startedBy: process) }
    return status
  }

  /// The wait status of the process, if it is dead in time.
  private func reap(within seconds: Double) -> Int32? {
    let deadline = Platform.now + seconds
    var pause: UInt32 = 100
    while true {
      var status: Int32 = 0
      let found = waitpid(process, &status, WNOHANG)
      // Of a child that this process traces the system tells a stop too, by 0x7f.
      if found == process, status & 0xff != 0x7f { return status }
      if found < 0, errno != EINTR { return nil }
      guard Platform.now < deadline else { return nil }
      usleep(pause)
      pause = min(pause * 2, 5000)
    }
  }

  /// Closes the pipes and gives the shared memory back.
  func dispose() {
    for pipe in [events, output, errors] { close(pipe.descriptor) }
    table.unmap()
  }

  /// Reads all there is and keeps its last bytes. Gives how many there were.
  private func take(from pipe: inout Pipe, keeping kept: Int) -> Int {
    guard pipe.isOpen else { return 0 }
    var total = 0
    var buffer = [UInt8](repeating: 0, count: 65536)
    // A child that writes faster than this reads must not keep the runner here.
    while total < 1 << 20 {
      let count = Foundation.read(pipe.descriptor, &buffer, buffer.count)
      if count > 0 {
        total += count
        if kept > 0 {
          pipe.pending.append(contentsOf: buffer[..<count])
          if pipe.pending.count > kept { pipe.pending.removeFirst(pipe.pending.count - kept) }
        }
      } else if count < 0 && errno == EINTR {
        continue
      } else {
        if count == 0 { pipe.isOpen = false }
        break
      }
    }
    return total
  }

  /// A pipe whose ends are closed on exec and lie above the numbers that a child finds its own at.
  private static func makePipe() -> (read: Int32, write: Int32)? {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    let moved = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
    ends.forEach { close($0) }
    guard moved.allSatisfy({ $0 >= 0 }) else {
      moved.filter { $0 >= 0 }.forEach { close($0) }
      return nil
    }
    return (moved[0], moved[1])
  }

  private static func spawn(
    _ launch: Launch, shared: Int32, events: Int32, output: Int32, errors: Int32
  ) -> (code: Int32, process: pid_t) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    posix_spawn_file_actions_adddup2(&actions, shared, TrialHost.tableDescriptor)
    posix_spawn_file_actions_adddup2(&actions, events, TrialHost.eventDescriptor)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // No signal is blocked or ignored in the child, whatever this process does with its own.
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var arguments = launch.arguments.map { strdup($0) } + [nil]
    var environment = launch.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (arguments + environment).forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawn(
      &process, launch.executable, &actions, &attributes, &arguments, &environment)
    return (code, process)
  }
}
