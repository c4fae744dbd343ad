/// A subject's name and properties, and a function that creates a new one.
public struct SubjectEntry: Sendable {
  /// The name on the command line, in scenarios and in reports: lower case, words joined by
  /// hyphens.
  public var name: String
  /// A description in one line, for `interlock list`.
  public var summary: String
  /// The system that the subject models, for `interlock list` and `--family`.
  public var family: String?
  /// The subject-specific calls. Scenarios name them `subject.NAME`.
  public var actions: [String]
  /// True if the subject takes part in scenarios that list no subjects.
  public var runsUnlisted: Bool
  /// True for a cache that keeps everything in memory, so that `compare --caches` measures it.
  public var isMemoryCache: Bool
  /// True if the subject's code is compiled for the memory check in every build.
  package var isInstrumented = false
  /// The lines of a fix as in a diff: `-` is removed, `+` is added; empty for none.
  package var repair: [String] = []
  /// The lock strategy that `compare` measures for the subject, an entry of a module above this
  /// one; `nil` for none.
  /// for none.
  package var strategy: (any Sendable)?
  /// The system package that the subject needs and this machine lacks; `nil` if nothing is missing.
  ///
  /// If it is not `nil`, trials of the subject are skipped.
  public var missing: String?
  /// Creates a new subject. Called once per trial, in the child process.
  ///
  /// Files that the subject leaves in the folder for temporary files are removed after the trial.
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
