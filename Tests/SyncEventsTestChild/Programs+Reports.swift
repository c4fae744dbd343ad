import Foundation
import Interlock

extension Programs {
  /// Programs with findings for a report.
  static let reported: [String: Program] = [
    "conflict": { _ in
      let users = Section("users")
      let isDone = DispatchSemaphore(value: 0)
      users.begin(.noReadWrite)  // conflict: first
      let thread = Thread {
        users.begin(.noReadWrite)  // conflict: second
        users.end(.noReadWrite)
        isDone.signal()
      }
      thread.name = "second"
      thread.start()
      isDone.wait()
      users.end(.noReadWrite)
      print("done")
    },
    "conflict-elsewhere": { _ in
      _ = FileManager.default.changeCurrentDirectoryPath("/")
      setenv("TMPDIR", "/no/such/folder", 1)
      all["conflict"]?([])
    },
  ]
}
