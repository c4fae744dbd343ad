import CInterlockHarness
import Foundation
import ProcessInspection

/// A child process with its pipes.
final class ChildProcess {
  /// The parameters for starting a child.
  struct Launch {
    /// The path of the executable.
    var executable: String
    /// The arguments, beginning with the name.
    var arguments: [String]
    /// The whole environment.
    var environment: [String: String]
  }

  /// The number of bytes kept from the end of standard error.
  private static let keptErrorOutput = 8 << 10
  /// The number of descriptors that must be free in addition to those that are open while a child
  /// starts, so that the runner can sample the child. Five of those are closed afterwards.
  private static let spareDescriptors: Int32 = 3
  /// The seconds to wait for the process to die of SIGKILL. A process that takes longer is blocked
  /// in a driver, or has a tracer that cannot be found, and is left behind.
  private static let endPatience = 5.0

  /// The id of the process, which is also that of its group.
  let process: pid_t
  /// The memory that the child shares with this process.
  let table: ProgressTable
  /// The start time, by `Platform.now`.
  let startedAt: Double

  private var events: Pipe
  private var output: Pipe
  private var errors: Pipe
  private var isEnded = false
  private var eventLines = EventLines()
  /// The mark of the child and of every process that it starts. It is not read from the table,
  /// because the child can write to the table.
  private let mark: ChildMark?

  /// The bytes written to standard output and standard error so far.
  private(set) var outputBytes = 0
  /// The end of standard error.
  private(set) var errorOutput: [UInt8] = []

  /// This process's end of a pipe.
  private struct Pipe {
    var descriptor: Int32
    var isOpen = true
    var pending: [UInt8] = []
  }

  /// Starts a child in a process group of its own.
  init(_ trial: Trial, as launch: Launch) throws(RunnerFault) {
    mark = Platform.makeMark()
    guard let (table, shared) = ProgressTable.make(for: trial, mark: mark) else {
      throw RunnerFault(reason: "no shared memory: \(String(cString: strerror(errno)))")
    }
    // Use a descriptor above those at which the child finds its own.
    let raised = fcntl(shared, F_DUPFD_CLOEXEC, 10)
    close(shared)
    var opened = raised >= 0 ? [raised] : []
    func closeAll() {
      opened.forEach { close($0) }
    }
    var pipes: [(read: Int32, write: Int32)] = []
    for _ in 0..<3 {
      guard raised >= 0, let pair = Self.makePipe() else {
        let reason = Self.descriptorFault()
        closeAll()
        table.unmap()
        throw RunnerFault(reason: "no pipe: \(reason)")
      }
      pipes.append(pair)
      opened += [pair.read, pair.write]
    }
    guard let symbols = SymbolSocket.makePair() else {
      let reason = Self.descriptorFault()
      closeAll()
      table.unmap()
      throw RunnerFault(reason: "no socket: \(reason)")
    }
    opened += [symbols.runner.descriptor, symbols.child.descriptor]
    // Fail now rather than run a child that the runner cannot sample.
    let spare = (0..<Self.spareDescriptors).map { _ in fcntl(raised, F_DUPFD_CLOEXEC, 0) }
    let reason = Self.descriptorFault()
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
      errors: pipes[2].write, symbols: symbols.child.descriptor)
    guard code == 0 else {
      closeAll()
      table.unmap()
      throw RunnerFault(
        reason: "\(launch.executable) could not be started: \(String(cString: strerror(code)))")
    }
    close(raised)
    symbols.child.close()
    if launch.executable == Platform.executable {
      SymbolServer(process: process, socket: symbols.runner).start()
    } else {
      // This process has not mapped the code that the child would ask about.
      symbols.runner.close()
    }
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

  /// True if a process with this limit for real-time threads belongs to the trial.
  func owns(processWithLimit limit: UInt64) -> Bool { mark?.covers(limit) ?? false }

  /// The descriptors to wait for: those that are still open for reading.
  var descriptors: [Int32] {
    [events, output, errors].filter(\.isOpen).map(\.descriptor)
  }

  /// True if the child has closed the event pipe, as it does when it ends.
  var isSilent: Bool { !events.isOpen }

  /// True if the child wrote more to the event pipe than any child has to report.
  var isFloodingEvents: Bool { eventLines.isFlooded }
  /// The bytes written to the event pipe so far.
  var eventBytes: Int { eventLines.bytes }

  /// Reads the available data without blocking, and returns the received events in order.
  func read() -> [ChildEvent] {
    outputBytes += take(from: &output, keeping: 0)
    outputBytes += take(from: &errors, keeping: Self.keptErrorOutput)
    errorOutput = errors.pending
    _ = take(from: &events, keeping: 2 << 20)
    defer { events.pending = [] }
    return eventLines.take(events.pending, at: Platform.now - startedAt)
  }

  /// True if the process has ended by itself. It is not reaped yet, so its id cannot be reused.
  var hasEnded: Bool {
    var information = siginfo_t()
    let options = WEXITED | WNOHANG | WNOWAIT
    return waitid(P_PID, id_t(process), &information, options) == 0
      && information.si_signo == SIGCHLD
  }

  /// Kills the process, its group and every process that it has started elsewhere. Reaps it, and
  /// returns its wait status; `nil` if it does not die in time. Call it once.
  func end() -> Int32? {
    guard !isEnded else { return nil }
    isEnded = true
    kill(-process, SIGKILL)
    kill(process, SIGKILL)
    let deadline = Platform.now + Self.endPatience
    var status = reap(within: 0.02)
    while status == nil, Platform.now < deadline {
      // A tracer receives the end of a process first, and may withhold it. The tracer may be
      // another process of the trial, or this one.
      if let mark { Platform.killAll(with: mark, startedBy: process) }
      Platform.reapTracedThreads(of: process)
      status = reap(within: 0.05)
    }
    // Kill again: processes may have joined the group meanwhile.
    kill(-process, SIGKILL)
    if let mark { Platform.killAll(with: mark, startedBy: process) }
    return status
  }

  /// The wait status of the process; `nil` if it does not die in time.
  private func reap(within seconds: Double) -> Int32? {
    let deadline = Platform.now + seconds
    var pause: UInt32 = 100
    while true {
      var status: Int32 = 0
      let found = waitpid(process, &status, WNOHANG)
      // If this process traces the child, stops are reported too, with the low byte 0x7f.
      if found == process, status & 0xff != 0x7f { return status }
      if found < 0, errno != EINTR { return nil }
      guard Platform.now < deadline else { return nil }
      usleep(pause)
      pause = min(pause * 2, 5000)
    }
  }

  /// Closes the pipes and unmaps the shared memory.
  func dispose() {
    for pipe in [events, output, errors] { close(pipe.descriptor) }
    table.unmap()
  }

  /// Reads the available data and keeps the last bytes. Returns the number of bytes read.
  private func take(from pipe: inout Pipe, keeping kept: Int) -> Int {
    guard pipe.isOpen else { return 0 }
    var total = 0
    var buffer = [UInt8](repeating: 0, count: 65536)
    // Bound the amount: a child that writes faster than this loop reads must not block the runner.
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

  /// Why a descriptor could not be created, from `errno`. If the limit of descriptors is below the
  /// requested minimum, the system reports an invalid argument.
  private static func descriptorFault() -> String {
    String(cString: strerror(errno == EINVAL ? EMFILE : errno))
  }

  /// Creates a pipe whose ends are closed on exec and above the descriptors that a child uses.
  private static func makePipe() -> (read: Int32, write: Int32)? {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    return raise(ends)
  }

  /// Moves two descriptors above those that a child uses; `nil`, with both closed, if that fails.
  static func raise(_ ends: [Int32]) -> (Int32, Int32)? {
    let moved = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
    ends.forEach { close($0) }
    guard moved.allSatisfy({ $0 >= 0 }) else {
      moved.filter { $0 >= 0 }.forEach { close($0) }
      return nil
    }
    return (moved[0], moved[1])
  }

  private static func spawn(
    _ launch: Launch, shared: Int32, events: Int32, output: Int32, errors: Int32, symbols: Int32
  ) -> (code: Int32, process: pid_t) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    posix_spawn_file_actions_adddup2(&actions, shared, TrialHost.tableDescriptor)
    posix_spawn_file_actions_adddup2(&actions, events, TrialHost.eventDescriptor)
    posix_spawn_file_actions_adddup2(&actions, symbols, TrialHost.symbolDescriptor)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Reset the signals: the child must not inherit blocked or ignored ones from this process.
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
