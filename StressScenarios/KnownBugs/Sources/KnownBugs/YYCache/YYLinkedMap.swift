import Interlock

/// An entry, with its place in the order of use. Only the dictionary retains it, as in the
/// original.
final class YYLinkedMapNode {
  /// A link to another entry; unretained, as in the original, because a hit would otherwise change
  /// five reference counts. Safe: it is only followed while the dictionary retains its target.
  typealias Link = Unmanaged<YYLinkedMapNode>

  /// The entry used next after this.
  var previous: Link?
  /// The entry used last before this.
  var next: Link?
  let key: String
  var value: CachedObject
  var cost: Int
  /// Marks accesses to `value`, which the original also makes outside the lock.
  let valueSection = Section("yymemory.value")

  init(key: String, value: CachedObject, cost: Int) {
    self.key = key
    self.value = value
    self.cost = cost
  }
}

/// A dictionary whose entries are in the order of their use: `_YYLinkedMap` of YYMemoryCache 1.0.4
/// (`insertNodeAtHead:`, `bringNodeToHead:`, `removeNode:`, `removeTailNode`, `removeAll`).
///
/// The map locks nothing; its sections are marked as synched, because its owner holds a lock.
final class YYLinkedMap {
  private var nodes: [String: YYLinkedMapNode] = [:]
  private var costOfAll = 0
  /// The most recently used entry.
  private var head: YYLinkedMapNode.Link?
  /// The least recently used entry.
  private var tail: YYLinkedMapNode.Link?

  private let section = Section("yymemory.list")

  var count: Int { section.read(synched: true) { nodes.count } }

  var totalCost: Int { section.read(synched: true) { costOfAll } }

  /// The entry of a key, which becomes the most recently used.
  func use(_ key: String) -> YYLinkedMapNode? {
    section.write(synched: true) {
      guard let node = nodes[key] else { return nil }
      bringToHead(node)
      return node
    }
  }

  func contains(_ key: String) -> Bool {
    section.read(synched: true) { nodes[key] != nil }
  }

  func insert(_ node: YYLinkedMapNode) {
    section.write(synched: true) {
      nodes[node.key] = node
      costOfAll += node.cost
      link(node)
    }
  }

  func setCost(_ cost: Int, of node: YYLinkedMapNode) {
    section.write(synched: true) {
      costOfAll += cost - node.cost
      node.cost = cost
    }
  }

  /// Removes and returns the entry of a key.
  func remove(_ key: String) -> YYLinkedMapNode? {
    section.write(synched: true) {
      guard let node = nodes.removeValue(forKey: key) else { return nil }
      costOfAll -= node.cost
      unlink(node)
      return node
    }
  }

  /// Removes and returns the least recently used entry.
  func removeTail() -> YYLinkedMapNode? {
    section.write(synched: true) {
      guard let node = tail?.takeUnretainedValue() else { return nil }
      nodes[node.key] = nil
      costOfAll -= node.cost
      unlink(node)
      return node
    }
  }

  /// Removes every entry; only the returned dictionary retains them.
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

  var all: [String: YYLinkedMapNode] { section.read(synched: true) { nodes } }

  /// The keys, in the order of the list.
  var keysInOrder: [String] {
    section.read(synched: true) {
      var keys: [String] = []
      var node = head
      // A damaged list may be a ring.
      while let current = node?.takeUnretainedValue(), keys.count <= nodes.count {
        keys.append(current.key)
        node = current.next
      }
      return keys
    }
  }

  private func bringToHead(_ node: YYLinkedMapNode) {
    // Only the head has no predecessor.
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
