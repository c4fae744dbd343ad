import CInterlockEvents
import Foundation
import InterlockWatchdog
import Synchronization
import Testing
import XCTest

/// A child process for one call of `stress`. It runs the same executable with only the calling
/// test.
struct IsolatedChild {
  /// The output of a child, and how it ended.
  struct Result: Sendable {
    var lines: [IsolatedChannel.Line]
    var output: String
    var status: Int32
    var wasKilled: Bool
  }

  private let call: IsolatedCall
  private let arguments: [String]
  private let folder: URL

  /// Prepares the child process.
  ///
  /// - Throws: `StressError` if a single test cannot be run here.
  init(for identity: IsolatedCall.Identity, replay: String) throws {
    #if os(Linux)
    guard let arguments = Self.arguments else {
      throw StressError("'isolation: .process' needs a test that runs, of Swift Testing or XCTest")
    }
    self.arguments = arguments
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("interlock-isolated-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let channel = folder.appendingPathComponent("issues").path
    call = IsolatedCall(identity: identity, replay: replay, channel: channel)
    #else
    throw StressError("'isolation: .process' works on Linux only")
    #endif
  }

  /// The arguments that select the calling test; `nil` if no test runs.
  private static var arguments: [String]? {
    if let test = Test.current {
      let pattern = NSRegularExpression.escapedPattern(for: "\(test.id)")
      return ["--testing-library", "swift-testing", "--filter", "^\(pattern)$"]
    }
    guard let test = currentXCTest as? XCTestCase else { return nil }
    // `Class.method`, prefixed with the module of the class.
    let module = String(reflecting: type(of: test)).prefix { $0 != "." }
    return ["\(module).\(test.name.replacingOccurrences(of: ".", with: "/"))"]
  }

  /// Runs the child to its end; a cancelled task kills it.
  func run() async throws -> Result {
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appendingPathComponent("output")
    for path in [output.path, call.channel] {
      try Data().write(to: URL(fileURLWithPath: path))
    }
    let handle = try FileHandle(forWritingTo: output)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.environment = call.environment
    process.standardOutput = handle
    process.standardError = handle
    process.standardInput = FileHandle.nullDevice
    // The child's own watchdog detects hangs: do not count the wait as one.
    let pause = WatchedWork.pause()
    defer { pause.end() }
    let child = RunningChild(process)
    let end = try await withTaskCancellationHandler {
      try await child.run()
    } onCancel: {
      child.kill()
    }
    try Task.checkCancellation()
    let lines = try String(contentsOfFile: call.channel, encoding: .utf8)
      .split(separator: "\n")
      .compactMap { try? JSONDecoder().decode(IsolatedChannel.Line.self, from: Data($0.utf8)) }
    return Result(
      lines: lines, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
      status: end.status, wasKilled: end.wasKilled)
  }
}

/// A process that a separate thread waits for.
///
/// `Process` itself cannot be used to wait: on Linux its termination handler is sometimes never
/// called for a process that has ended.
private final class RunningChild: @unchecked Sendable {
  /// The end of a process: its exit code or the number of the signal.
  typealias End = (status: Int32, wasKilled: Bool)

  // Unchecked: `Process` is started once, and its id is read under the lock.
  private let process: Process
  private let lock = NSLock()
  private var hasStarted = false
  private var isCancelled = false

  init(_ process: Process) { self.process = process }

  func run() async throws -> End {
    try lock.withLock {
      if isCancelled { throw CancellationError() }
      try process.run()
      hasStarted = true
    }
    return await withCheckedContinuation { done in
      Thread.detachNewThread { [self] in
        interlock_events_hide_thread(true)
        done.resume(returning: wait())
      }
    }
  }

  private func wait() -> End {
    var end = siginfo_t()
    var result: Int32
    // `WNOWAIT` leaves the process to `Process`, which may wait for it too.
    repeat {
      result = waitid(P_PID, id_t(process.processIdentifier), &end, WEXITED | WNOWAIT)
    } while result != 0 && errno == EINTR
    guard result != 0 else { return (childStatus(end), end.si_code != CLD_EXITED) }
    // `waitid` failed because `Process` has reaped the child: take its status.
    process.waitUntilExit()
    return (process.terminationStatus, process.terminationReason == .uncaughtSignal)
  }

  func kill() {
    lock.withLock {
      isCancelled = true
      if hasStarted, process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }
  }
}

/// The exit code of an ended process, or the number of its signal.
private func childStatus(_ end: siginfo_t) -> Int32 {
  #if os(Linux)
  end._sifields._sigchld.si_status
  #else
  end.si_status
  #endif
}
