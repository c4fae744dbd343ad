import Foundation
import StressRunner

/// Makes the system stop this process when it writes its next event. If that is the last event, the
/// process has reported its end, and never exits. Must be called on the thread that writes the
/// event.
private func stopAtEvent() {
  // A second reading end: the system sends the signal to readers. A child's event pipe is at
  // descriptor 4.
  let reader = open("/proc/self/fd/4", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
  let thread = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
  guard reader >= 0, let number = thread?.split(separator: "/").last.flatMap({ Int32($0) }) else {
    fatalError("no pipe or no thread")
  }
  // F_SETOWN_EX with F_OWNER_TID: the signal goes to this thread, which takes it before it leaves
  // the call; and F_SETSIG. Swift imports neither.
  var owner: (type: Int32, thread: Int32) = (0, number)
  guard fcntl(reader, 15, &owner) == 0, fcntl(reader, 10, SIGSTOP) == 0,
    fcntl(reader, F_SETFL, O_NONBLOCK | O_ASYNC) == 0
  else { fatalError("no signal: \(String(cString: strerror(errno)))") }
}

/// More seconds than the time limit of the trials below, which are stopped or wait meanwhile.
private let longReport = "6.5"

private func start(_ path: String, _ arguments: String...) -> pid_t {
  var process: pid_t = 0
  var arguments: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
  guard posix_spawn(&process, path, nil, nil, &arguments, environ) == 0 else {
    fatalError("no process")
  }
  return process
}

/// Makes a conflict whose report takes long, because the process is stopped at each of its events.
func reportSlowly() {
  let script = "sleep \(longReport); while kill -CONT \(getpid()); do sleep 0.1; done"
  _ = start("/bin/sh", "sh", "-c", script)
  stopAtEvent()
  writeTogether()
}

/// Ends by a trap, after it has waited for a slow backtracer.
func trapSlowly() {
  let backtracer = NSTemporaryDirectory() + "/swift-backtrace"
  guard symlink("/bin/sleep", backtracer) == 0 else { fatalError("no link") }
  var status: Int32 = 0
  waitpid(start(backtracer, backtracer, longReport), &status, 0)
  signal(SIGILL, SIG_DFL)
  raise(SIGILL)
}

let slowExitSubject = SubjectEntry(name: "slow-exit", summary: "") {
  stopAtEvent()
  return FunctionSubject { _ in }
}
