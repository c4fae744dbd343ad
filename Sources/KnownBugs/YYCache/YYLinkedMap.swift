import Interlock

/// What a memory cache holds: any object, as Objective-C's `id`.
package typealias YYObject = AnyObject & Sendable

/// Bytes as an object, for `Cache`, whose values are bytes.
package final class YYData: Sendable {
  /// The bytes.
  package let bytes: [UInt8]

  /// Puts bytes into an object.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}

/// An entry, with its place in the order of use. Only the dictionary keeps it alive, as in the
/// original.
final class YYLinkedMapNode {
  /// A link to another entry: unretained and unsafe, as the original's, and for its reason. It is
  /// only followed while the dictionary holds what it leads to, and a hit would count five
  /// references up and down.
  typealias Link = Unmanaged<YYLinkedMapNode>

  /// The one used next after this.
  var previous: Link?
  /// The one used last before this.
  var next: Link?
  let key: String
  var value: any YYObject
  var cost: Int
  /// When it was used last, on the clock that never goes back.
  var time: Double
  /// Marks accesses to `value`, which the original also makes outside the lock.
  let valueSection = Section("yymemory.value")

  init(key: String, value: any YYObject, cost: Int, time: Double) {
    self.key = key
    self.value = value
    self.cost = cost
    self.time = time
  }
}

/// A dictionary whose entries are in the order of their use: `_YYLinkedMap` of YYMemoryCache 1.0.4
/// (`insertNodeAtHead:`, `bringNodeToHead:`, `removeNode:`, `removeTailNode`, `removeAll`).
///
/// It locks nothing; its owner's lock is claimed by the sections, which are marked as held under a
/// lock.
final class YYLinkedMap {
  private var nodes: [String: YYLinkedMapNode] = [:]
  private var costOfAll = 0
  /// The one used last.
  private var head: YYLinkedMapNode.Link?
  /// The one that has not been used for the longest time.
  private var tail: YYLinkedMapNode.Link?

  private let section = Section("yymemory.list")

  var count: Int { section.read(synched: true) { nodes.count } }

  var totalCost: Int { section.read(synched: true) { costOfAll } }

  /// When the entry was used last that has not been used for the longest time; `nil` where there is
  /// none.
  var oldestTime: Double? {
    section.read(synched: true) { tail?._withUnsafeGuaranteedRef { $0.time } }
  }

  /// The entry of a key, which becomes the one used last.
  func use(_ key: String, _ clock: () -> Double) -> YYLinkedMapNode? {
    section.write(synched: true) {
      guard let node = nodes[key] else { return nil }
      node.time = clock()
      bringToHead(node)
      return node
    }
  }

  func contains(_ key: String) -> Bool {
    section.read(synched: true) { nodes[key] != nil }
  }

  /// Adds an entry that is not there.
  func insert(_ node: YYLinkedMapNode) {
    section.write(synched: true) {
      nodes[node.key] = node
      costOfAll += node.cost
      link(node)
    }
  }

  /// Gives an entry another cost.
  func setCost(_ cost: Int, of node: YYLinkedMapNode) {
    section.write(synched: true) {
      costOfAll += cost - node.cost
      node.cost = cost
    }
  }

  /// Takes out the entry of a key.
  func remove(_ key: String) -> YYLinkedMapNode? {
    section.write(synched: true) {
      guard let node = nodes.removeValue(forKey: key) else { return nil }
      costOfAll -= node.cost
      unlink(node)
      return node
    }
  }

  /// Takes out the entry that has not been used for the longest time.
  func removeTail() -> YYLinkedMapNode? {
    section.write(synched: true) {
      guard let node = tail?.takeUnretainedValue() else { return nil }
      nodes[node.key] = nil
      costOfAll -= node.cost
      unlink(node)
      return node
    }
  }

  /// Takes out every entry; the dictionary that comes back is what keeps them alive.
  func removeAll() -> [String: YYLinkedMapNode] {
    section.write(synched: true) {
      let all = nodes
      nodes = [:]
      costOfAll = 0
      head = nil
      tail = nil
      return all
    }
  }

  /// Every entry, by its key.
  var all: [String: YYLinkedMapNode] { section.read(synched: true) { nodes } }

  /// The keys, in the order of the list.
  var keysInOrder: [String] {
    section.read(synched: true) {
      var keys: [String] = []
      var node = head
      // A list that is damaged may be a ring.
      while let current = node?.takeUnretainedValue(), keys.count <= nodes.count {
        keys.append(current.key)
        node = current.next
      }
      return keys
    }
  }

  private func bringToHead(_ node: YYLinkedMapNode) {
    // The head, and it alone, has none before it.
    if node.previous == nil { return }
    unlink(node)
    link(node)
  }

  private func link(_ node: YYLinkedMapNode) {
    let new = Unmanaged.passUnretained(node)
    node.previous = nil
    node.next = head
    head?._withUnsafeGuaranteedRef { $0.previous = new }
    head = new
    if tail == nil { tail = new }
  }

  private func unlink(_ node: YYLinkedMapNode) {
    let (previous, next) = (node.previous, node.next)
    if let next {
      next._withUnsafeGuaranteedRef { $0.previous = previous }
    } else {
      tail = previous
    }
    if let previous {
      previous._withUnsafeGuaranteedRef { $0.next = next }
    } else {
      head = next
    }
    node.previous = nil
    node.next = nil
  }
}
