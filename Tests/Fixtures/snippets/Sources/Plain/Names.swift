package final class Names {
  package private(set) var all: [String] = []

  package init() {}
  package func add(_ name: String) { all.append(name) }
}
