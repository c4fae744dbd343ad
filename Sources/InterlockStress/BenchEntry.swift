/// A named bench: a measurement that `bench` runs and prints.
public struct BenchEntry: Sendable {
  /// The name on the command line: lower case, words joined by hyphens.
  public var name: String
  /// A description in one line, for `list` and `help bench`.
  public var summary: String
  /// Measures, and prints to standard output. Called on the main thread; benches run one after
  /// another.
  public var run: @Sendable () throws -> Void

  /// Describes a bench.
  public init(name: String, summary: String, run: @escaping @Sendable () throws -> Void) {
    self.name = name
    self.summary = summary
    self.run = run
  }
}
