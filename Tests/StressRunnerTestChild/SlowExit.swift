import Foundation
import StressRunner

/// Has the system stop this process at the moment that it writes an event, its last one being that
/// it is finished: so it has said so, and never comes to its exit. To be called on the thread that
/// writes it.
private func stopAtEvent() {
  // A second end to read from, since the system signals to readers; 4 is where a child finds its
  // pipe.
  let reader = open("/proc/self/fd/4", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
  let thread = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
  guard reader >= 0, let number = thread?.split(separator: "/").last.flatMap({ Int32($0) }) else {
    fatalError("no pipe or no thread")
  }
  // F_SETOWN_EX with F_OWNER_TID: to this thread, which so takes the signal before it leaves the
  // call; and F_SETSIG. Neither is imported.
  var owner: (type: Int32, thread: Int32) = (0, number)
  guard fcntl(reader, 15, &owner) == 0, fcntl(reader, 10, SIGSTOP) == 0,
    fcntl(reader, F_SETFL, O_NONBLOCK | O_ASYNC) == 0
  else { fatalError("no signal: \(String(cString: strerror(errno)))") }
}

let slowExitSubject = SubjectEntry(name: "slow-exit", summary: "") {
  stopAtEvent()
  return FunctionSubject { _ in }
}
