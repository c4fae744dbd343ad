/// Elements at a fixed address, for several threads at once; never freed, because event readers are
/// not freed either.
final class SharedArray<Element: ~Copyable>: @unchecked Sendable {
  // Unchecked: the user ensures that no two threads access an element that is not atomic.
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
