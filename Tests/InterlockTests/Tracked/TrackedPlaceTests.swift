import Dispatch
import Synchronization
import Testing
import TrackedModel

@testable import Interlock

extension Shelf {
  fileprivate func extended() -> Int {
    books.removeAll()
    return #line - 1
  }
}

private func byProtocol(_ shelf: any Shelved) -> Int {
  shelf.books.removeAll()
  return #line - 1
}

private func generically<Owner: Shelved>(_ shelf: Owner) -> Int {
  shelf.books[1, default: 0] += 1
  return #line - 1
}

private func fromAnotherModule(_ shelf: Shelf) -> Int {
  shelf.boxes.append(1)
  return #line - 1
}

private func awaited(_ shelf: Shelf) -> Int {
  let line = Line()
  let done = Gate()
  Task {
    line.number.store(await shelf.later(), ordering: .relaxed)
    done.open()
  }
  done.pass()
  return line.number.load(ordering: .relaxed)
}

/// A line that another thread passes on. The gate orders the accesses.
private final class Line: Sendable {
  let number = Atomic(0)
}

/// The place that a report gives to an access of a `@Tracked` property.
struct TrackedPlaceTests {
  /// An access to a property of another module. It returns its line.
  struct Access: Sendable, CustomTestStringConvertible {
    var function: String
    var property = "Shelf.books"
    var file = "TrackedModel/Shelf.swift"
    var perform: @Sendable (Shelf) -> Int
    var testDescription: String { function }
  }

  static let accesses = [
    Access(function: "Shelf.remove()") { $0.remove() },
    Access(function: "Shelf.removeAll()") { $0.removeAll() },
    Access(function: "Shelf.count()") { $0.count() },
    Access(function: "Shelf.store()") { $0.store() },
    Access(function: "Shelf.assign()") { $0.assign() },
    Access(function: "Shelf.read()") { $0.read() },
    Access(function: "closure #1 in Shelf.inClosure()") { $0.inClosure() },
    Access(function: "Shelf.handOver()") { $0.handOver() },
    Access(function: "Shelf.byKeyPath()") { $0.byKeyPath() },
    Access(function: "Shelf.popped.getter") { $0.popped },
    Access(function: "Shelf.inOneLine()") { $0.inOneLine() },
    Access(function: "Shelf.later()") { awaited($0) },
    Access(function: "Shelf.append()", property: "Shelf.boxes") { $0.append() },
    Access(function: "Shelf.grow()", property: "Shelf.size") { $0.grow() },
    Access(function: "Shelf.growByItself()", property: "Shelf.size") { $0.growByItself() },
    Access(function: "Shelf.label()", property: "shelf.labels") { $0.label() },
    Access(function: "Shelf.extended()", file: own) { $0.extended() },
    Access(function: "byProtocol(_:)", file: own) { byProtocol($0) },
    Access(function: "generically<A>(_:)", file: own) { generically($0) },
    Access(function: "fromAnotherModule(_:)", property: "Shelf.boxes", file: own) {
      fromAnotherModule($0)
    },
  ]
  private static let own = "InterlockTests/TrackedPlaceTests.swift"

  init() { Findings.collect() }

  @Test("an access of a tracked property is reported at its own line, in its own function and file")
  func places() throws {
    // Mostly one thread, because the toolchain reads the debug information once for each thread.
    let accesses = DispatchQueue(label: "accesses")
    for access in Self.accesses {
      let shelf = Shelf()
      let before = Set(Findings.conflicts(on: access.property).map(\.instance))
      let line = Line()
      let holder = keep(shelf, access.property) {
        let end = DispatchSemaphore(value: 0)
        accesses.async {
          line.number.store(access.perform(shelf), ordering: .relaxed)
          end.signal()
        }
        end.wait()
      }
      let found = Findings.conflicts(on: access.property).filter { !before.contains($0.instance) }
      try #require(!found.isEmpty, "\(access)")
      let place = Place(
        file: access.file, line: line.number.load(ordering: .relaxed), function: access.function)
      // A mutation by key path reads the whole, and writes it when the access ends: two accesses on
      // one line.
      for conflict in found {
        #expect(conflict.second.place == place)
        #expect(conflict.second.stack.first?.function == access.function)
        #expect(conflict.second.stack.first?.line == place.line)
        #expect(conflict.first.place.file == Self.own)
        #expect(conflict.first.place.line == holder)
      }
    }
  }

  @Test("two accesses in one function, called from one line, are two findings")
  func twoLines() {
    let shelf = Shelf()
    @Sendable func twice() {
      shelf.boxes = []
      shelf.boxes.append(2)
    }
    let before = Set(Findings.conflicts(on: "Shelf.boxes").map(\.instance))
    _ = keep(shelf, "Shelf.boxes") { onThread { twice() } }
    let found = Findings.conflicts(on: "Shelf.boxes").filter { !before.contains($0.instance) }
    #expect(found.count == 2)
    #expect(Set(found.map(\.second.place.line)).count == 2)
  }

  /// Runs a body during a write of a property. Returns the line of the write.
  private func keep(_ shelf: Shelf, _ property: String, _ body: () -> Void) -> Int {
    func during<Value>(_ value: inout Value) { body() }
    switch property {
    case "Shelf.books":
      during(&shelf.books)
      return #line - 1
    case "Shelf.boxes":
      during(&shelf.boxes)
      return #line - 1
    case "Shelf.size":
      during(&shelf.size)
      return #line - 1
    default:
      during(&shelf.labels)
      return #line - 1
    }
  }
}
