/// So many elements in one place of memory, for several threads at once; never freed, as no reader
/// of events is.
final class SharedArray<Element: ~Copyable>: @unchecked Sendable {
  // Unchecked: who uses it sees to it that no two threads use an element that is not an atomic one.
  private let elements: UnsafeMutablePointer<Element>

  init(count: Int, _ element: () -> Element) {
    elements = .allocate(capacity: count)
    for index in 0..<count { (elements + index).initialize(to: element()) }
  }

  subscript(index: Int) -> Element {
    unsafeAddress { UnsafePointer(elements + index) }
    unsafeMutableAddress { elements + index }
  }
}
