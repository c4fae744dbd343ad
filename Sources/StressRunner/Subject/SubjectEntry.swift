/// A subject by name, and how to make a fresh one.
public struct SubjectEntry: Sendable {
  /// The name on the command line, in scenarios and in reports: lower case, words joined by
  /// hyphens.
  public var name: String
  /// How it works, in one line for `interlock list`.
  public var summary: String
  /// The system that it is a model of, for `interlock list` and `--family`.
  public var family: String?
  /// Its subject-specific calls; scenarios call them `subject.NAME`.
  public var actions: [String]
  /// Whether it takes part in a scenario that lists no subjects.
  public var runsUnlisted: Bool
  /// Whether it is a cache that keeps everything in memory, so that `compare --caches` measures it.
  public var isMemoryCache: Bool
  /// Whether its code is compiled for the check of memory in every build.
  package var isInstrumented = false
  /// The lines of a repair, as a diff shows them: `-` is removed, `+` is added; empty for none.
  package var repair: [String] = []
  /// The lock strategy that `compare` measures for it, an entry of a module above this one; `nil`
  /// for none.
  package var strategy: (any Sendable)?
  /// The system package that the subject needs and this machine lacks; `nil` if nothing is missing.
  ///
  /// If it is not `nil`, trials of the subject are skipped.
  public var missing: String?
  /// Makes a fresh subject; called once per trial, in the child process.
  ///
  /// Files that it leaves in the folder for temporary files are removed after the trial.
  public var make: @Sendable () -> any Subject

  /// Describes a subject.
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
