/// Finds the live nodes by reduction (Holt 1972). A node without inputs is live, and so is a node
/// whose inputs are live: all of its inputs, or one, depending on the node.
///
/// Takes time linear in the nodes and their inputs, in any order.
struct Reduction {
  /// The number of further inputs that must be live before each node is live.
  private var missing: [Int] = []
  private var dependents: [[Int]] = []
  private(set) var isLive: [Bool] = []
  private var ready: [Int] = []

  /// Adds a node that needs all of its inputs, or one of them.
  ///
  /// - Returns: The number of the node, from 0.
  mutating func add(needsAll: Bool) -> Int {
    missing.append(needsAll ? 0 : 1)
    dependents.append([])
    isLive.append(false)
    return missing.count - 1
  }

  /// Adds an input that a node needs in addition to its other inputs.
  mutating func require(_ input: Int, for node: Int) {
    missing[node] += 1
    dependents[input].append(node)
  }

  /// Adds an input to a node that needs only one input.
  mutating func allow(_ input: Int, for node: Int) { dependents[input].append(node) }

  /// Finds all live nodes.
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
