package import Interlock

/// A type with tracked properties, in another module than its tests. Each method returns the line
/// of its access.
package final class Shelf: Shelved, @unchecked Sendable {
  // Unchecked: the tests check its conflicts.
  @Tracked package var books: [Int: Int] = [:]
  @Tracked package var boxes: [Int] = []
  @Tracked package var size = Size()
  @Tracked("shelf.labels") package var labels: [Int: Int] = [:]

  package init() {}

  package func append() -> Int {
    boxes.append(1)
    return #line - 1
  }

  package func remove() -> Int {
    books.removeValue(forKey: 1)
    return #line - 1
  }

  package func removeAll() -> Int {
    books.removeAll()
    return #line - 1
  }

  package func count() -> Int {
    books[1, default: 0] += 1
    return #line - 1
  }

  package func store() -> Int {
    books[1] = 1
    return #line - 1
  }

  package func assign() -> Int {
    books = [1: 1]
    return #line - 1
  }

  package func read() -> Int {
    let count = books.count
    return #line - 1 + count - count
  }

  package func inClosure() -> Int {
    [1].forEach { key in
      books.removeValue(forKey: key)
    }
    return #line - 2
  }

  package func handOver() -> Int {
    empty(&books)
    return #line - 1
  }

  package func grow() -> Int {
    size.width += 1
    return #line - 1
  }

  package func growByItself() -> Int {
    size.grow()
    return #line - 1
  }

  package func label() -> Int {
    labels[1] = 1
    return #line - 1
  }

  package func byKeyPath() -> Int {
    let path: ReferenceWritableKeyPath<Shelf, [Int: Int]> = \.books
    self[keyPath: path].removeAll()
    return #line - 1
  }

  package func later() async -> Int {
    await Task.yield()
    books.removeAll()
    return #line - 1
  }

  package var popped: Int {
    books.removeValue(forKey: 1)
    return #line - 1
  }

  package func inOneLine() -> Int { books.removeAll(); return #line }
}

/// A value with parts.
package struct Size: Sendable {
  package var width = 0
  mutating func grow() { width += 1 }
}

/// Access to a property through a protocol.
package protocol Shelved: AnyObject {
  var books: [Int: Int] { get set }
}

private func empty(_ books: inout [Int: Int]) { books = [:] }
