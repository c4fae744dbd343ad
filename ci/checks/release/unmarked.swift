// Functions without marks: see `marked.swift`.

public final class Counter {
  var users: [Int] = []
  var total = 0

  public init() {}

  @inline(never)
  public func named(_ id: Int) -> Int {
    return users[id]
  }

  @inline(never)
  public func computed(_ id: Int) -> Int {
    users[id] += 1
    return users[id]
  }

  @inline(never)
  public func closures(_ id: Int) -> Int {
    users[id] = id
    return users[id]
  }

  @inline(never)
  public func apart(_ id: Int) {
    users[id] = id
  }

  @inline(never)
  public func spelled(_ id: Int, line: UInt = #line) -> Int {
    return users[id]
  }

  @inline(never)
  public func parts(_ id: Int) -> Int {
    users[id] = id
    return users[id]
  }

  @inline(never)
  public func witnessed(_ id: Int) -> Int {
    users[id]
  }

  @inline(never)
  public func suspended(_ id: Int) async -> Int {
    await later(id)
  }

  @inline(never)
  func later(_ id: Int) async -> Int { users[id] }

  @inline(never)
  public func tracked(_ id: Int) -> Int {
    total += id
    return total
  }
}
