// Functions whose sections are marked. `unmarked.swift` has the same functions without the marks:
// in a release build without the trait SectionTracking, both must come to the same machine code.

import Interlock

public final class Counter {
  var users: [Int] = []
  let entries = Section("counter.entries")
  @Tracked var total = 0

  public init() {}

  @inline(never)
  public func named(_ id: Int) -> Int {
    SYNC_POINT("counter.named.begin")
    BEGIN_LOCK(.noWrite, "users")
    defer { END_LOCK(.noWrite, "users") }
    return users[id]
  }

  @inline(never)
  public func computed(_ id: Int) -> Int {
    BEGIN_SYNCHED_LOCK(.noReadWrite, "users.\(id) of \(users)", of: self)
    users[id] += 1
    END_LOCK(.noReadWrite, "users.\(id) of \(users)", of: self)
    return users[id]
  }

  @inline(never)
  public func closures(_ id: Int) -> Int {
    entries.write { users[id] = id }
    return entries.read(synched: true) { users[id] }
  }

  @inline(never)
  public func apart(_ id: Int) {
    entries.begin(.noReadWrite)
    users[id] = id
    entries.end(.noReadWrite)
  }

  // A wrapper of the marks passes the places on.
  @inline(never)
  public func spelled(_ id: Int, line: UInt = #line) -> Int {
    BEGIN_LOCK(.noWrite, "users", of: self, file: #fileID, function: #function, line: line)
    defer { END_LOCK(.noWrite, "users", of: self, file: #fileID, function: #function, line: line) }
    entries.begin(.noReadWrite, synched: true, file: #fileID, function: #function, line: line)
    defer { entries.end(.noReadWrite, file: #fileID, function: #function, line: line) }
    return entries.read(synched: false, file: #fileID, function: #function, line: line) {
      users[id]
    }
  }

  @inline(never)
  public func parts(_ id: Int) -> Int {
    entries.begin(.noWrite, part: "\(id) of \(users)")
    defer { entries.end(.noWrite, part: "\(id) of \(users)") }
    BEGIN_LOCK(.noWrite, "users", part: "\(id) of \(users)", of: self)
    defer { END_LOCK(.noWrite, "users", part: "\(id) of \(users)", of: self) }
    entries.write("\(id) of \(users)") { users[id] = id }
    return entries.read("\(id) of \(users)", synched: true) { users[id] }
  }

  @inline(never)
  public func witnessed(_ id: Int) -> Int {
    entries.read(witness: FileState(of: "\(users)")) { users[id] }
  }

  @inline(never)
  public func suspended(_ id: Int) async -> Int {
    await entries.write(file: #fileID, line: 1) { await later(id) }
  }

  @inline(never)
  func later(_ id: Int) async -> Int { users[id] }

  @inline(never)
  public func tracked(_ id: Int) -> Int {
    total += id
    return total
  }
}
