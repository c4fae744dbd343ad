/// Finds the nodes that can go on, by reduction (Holt 1972): a node that needs nothing can; so can
/// a node whose inputs can. Each node needs all of its inputs, or one.
///
/// Takes time linear in the nodes and their inputs, in any order.
struct Reduction {
  /// How many inputs must go on before a node can.
  private var missing: [Int] = []
  private var dependents: [[Int]] = []
  private(set) var isLive: [Bool] = []
  private var ready: [Int] = []

  /// Adds a node that needs all of its inputs, or one of them.
  ///
  /// - Returns: Its number, from 0.
  mutating func add(needsAll: Bool) -> Int {
    missing.append(needsAll ? 0 : 1)
    dependents.append([])
    isLive.append(false)
    return missing.count - 1
  }

  /// Adds an input that a node needs besides its others.
  mutating func require(_ input: Int, for node: Int) {
    missing[node] += 1
    dependents[input].append(node)
  }

  /// Adds an input to a node that needs only one.
  mutating func allow(_ input: Int, for node: Int) { dependents[input].append(node) }

  /// Finds all nodes that can go on.
  mutating func run() {
    ready = missing.indices.filter { missing[$0] == 0 }
    for node in ready { isLive[node] = true }
    while let node = ready.popLast() {
      for dependent in dependents[node] where !isLive[dependent] {
        missing[dependent] -= 1
        if missing[dependent] == 0 {
          isLive[dependent] = true
          ready.append(dependent)
        }
      }
    }
  }
}
