/// A bench by name: something that `bench` measures and prints.
public struct BenchEntry: Sendable {
  /// The name on the command line: lower case, words joined by hyphens.
  public var name: String
  /// One line for `list` and `help bench`: what it measures.
  public var summary: String
  /// Measures, and prints to standard output. Called on the main thread, one bench after the other.
  public var run: @Sendable () throws -> Void

  /// Names a bench.
  public init(name: String, summary: String, run: @escaping @Sendable () throws -> Void) {
    self.name = name
    self.summary = summary
    self.run = run
  }
}
