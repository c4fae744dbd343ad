/// A subject by name, and how to make a fresh one.
public struct SubjectEntry: Sendable {
  /// The name on the command line, in scenarios and in reports: lower case, words joined by
  /// hyphens.
  public var name: String
  /// One line for `interlock list`: how it works.
  public var summary: String
  /// What it belongs to, for `interlock list` and `--family`: the system that it is a model of.
  public var family: String?
  /// Its own calls, beside those that every cache may have: scenarios call them `subject.NAME`.
  public var actions: [String]
  /// Whether it takes part in a scenario that lists no subjects.
  public var runsUnlisted: Bool
  /// Whether it is a cache that keeps everything in memory, so that `compare --caches` measures it.
  public var isMemoryCache: Bool
  /// What it needs and this machine lacks, with the package to install: its trials are skipped.
  /// `nil` where nothing is missing.
  public var missing: String?
  /// Makes a fresh subject; called once a trial, in the child process. What it leaves in the folder
  /// for temporary files goes when the trial is over.
  public var make: @Sendable () -> any Subject

  /// Names a subject.
  public init(
    name: String, summary: String, family: String? = nil, actions: [String] = [],
    runsUnlisted: Bool = true, isMemoryCache: Bool = false, missing: String? = nil,
    make: @escaping @Sendable () -> any Subject
  ) {
    self.name = name
    self.summary = summary
    self.family = family
    self.actions = actions
    self.runsUnlisted = runsUnlisted
    self.isMemoryCache = isMemoryCache
    self.missing = missing
    self.make = make
  }
}
