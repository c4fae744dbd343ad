/// Who can go on, by reduction (Holt 1972): whoever needs nothing can; whoever they can wake can;
/// and so on, until nobody is added. Each node needs all of its inputs, or one.
///
/// Linear in the nodes and their inputs, whatever their order.
struct Reduction {
  /// How many inputs must come before a node can go on.
  private var missing: [Int] = []
  private var dependents: [[Int]] = []
  private(set) var isLive: [Bool] = []
  private var ready: [Int] = []

  /// Adds a node that needs all of some others, or one of them.
  ///
  /// - Returns: Its number, from 0.
  mutating func add(needsAll: Bool) -> Int {
    missing.append(needsAll ? 0 : 1)
    dependents.append([])
    isLive.append(false)
    return missing.count - 1
  }

  /// Makes a node wait for one more, besides what it waits for already.
  mutating func require(_ input: Int, for node: Int) {
    missing[node] += 1
    dependents[input].append(node)
  }

  /// Lets a node go on as soon as another does, where it needs only one.
  mutating func allow(_ input: Int, for node: Int) { dependents[input].append(node) }

  /// Finds whoever can go on.
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
