import Interlock
import Testing

/// The names and instances that make the same resource.
struct ResourceTests {
  init() { Findings.collect() }

  private final class Store: Sendable {}

  @Test("a name without an instance is one resource, written as a literal or computed")
  func names() {
    let suffix = "users"
    BEGIN_LOCK(.noReadWrite, "resource.users")
    onThread {
      BEGIN_LOCK(.noWrite, "resource.\(suffix)")
      END_LOCK(.noWrite, "resource.\(suffix)")
    }
    END_LOCK(.noReadWrite, "resource.users")
    #expect(Findings.conflicts(on: "resource.users").count == 1)
  }

  @Test("different names are different resources")
  func twoNames() {
    BEGIN_LOCK(.noReadWrite, "resource.one")
    onThread {
      BEGIN_LOCK(.noReadWrite, "resource.two")
      END_LOCK(.noReadWrite, "resource.two")
    }
    END_LOCK(.noReadWrite, "resource.one")
    #expect(Findings.conflicts(on: "resource.one").isEmpty)
    #expect(Findings.conflicts(on: "resource.two").isEmpty)
  }

  @Test("a name with two instances is two resources, and a name with one instance is one")
  func instances() {
    let here = Store()
    let there = Store()
    BEGIN_LOCK(.noReadWrite, "resource.entries", of: here)
    onThread {
      BEGIN_LOCK(.noReadWrite, "resource.entries", of: there)
      END_LOCK(.noReadWrite, "resource.entries", of: there)
      BEGIN_LOCK(.noReadWrite, "resource.entries")
      END_LOCK(.noReadWrite, "resource.entries")
    }
    #expect(Findings.conflicts(on: "resource.entries").isEmpty)
    onThread {
      BEGIN_LOCK(.noWrite, "resource.entries", of: here)
      END_LOCK(.noWrite, "resource.entries", of: here)
    }
    END_LOCK(.noReadWrite, "resource.entries", of: here)
    let found = Findings.conflicts(on: "resource.entries")
    #expect(found.count == 1)
    #expect(found.first?.instance?.contains("Store") == true)
  }

  @Test("two sections with one name are two resources")
  func sections() {
    let name = "resource.\("section")"
    let here = Section(name)
    let there = Section(name)
    here.begin(.noReadWrite)
    onThread { there.write {} }
    #expect(Findings.conflicts(on: name).isEmpty)
    let copy = here
    onThread { copy.write {} }
    here.end(.noReadWrite)
    #expect(Findings.conflicts(on: name).count == 1)
  }

  private final class Shelf: @unchecked Sendable {
    // Unchecked: the test checks whether the property is safe.
    @Tracked var books: [Int: String] = [:]
    @Tracked("resource.boxes") var boxes: [Int] = []
  }

  @Test("a conflict of a tracked property has the lines of its accesses and its own name")
  func tracked() {
    let shelf = Shelf()
    shelf.books[1] = "one"
    func hold(_ books: inout [Int: String]) {
      onThread { _ = shelf.books.count }
    }
    hold(&shelf.books)
    #expect(shelf.books == [1: "one"])
    let found = SectionTracking.conflicts.filter { $0.resource == "ResourceTests.Shelf.books" }
    #expect(found.count == 1)
    #expect(found.first?.first.mode == .noReadWrite)
    #expect(found.first?.second.mode == .noWrite)
    #expect(found.first?.second.place.file == "InterlockTests/ResourceTests.swift")
    #expect(found.first?.first.place.line != found.first?.second.place.line)

    shelf.boxes.append(1)
    onThread { shelf.boxes.append(2) }
    #expect(Findings.conflicts(on: "resource.boxes").isEmpty)
    #expect(shelf.boxes == [1, 2])
    func pack(_ boxes: inout [Int]) {
      onThread { _ = shelf.boxes.count }
    }
    pack(&shelf.boxes)
    #expect(Findings.conflicts(on: "resource.boxes").count == 1)
  }
}
