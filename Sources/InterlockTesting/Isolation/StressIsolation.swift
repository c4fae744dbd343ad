/// Where the body of `stress` runs.
public enum StressIsolation: String, Sendable, Hashable, CaseIterable {
  /// In the process of the tests: a crash or a hang ends it.
  case none
  /// In a child process, which runs the test alone up to the end of the stress: a crash or a hang
  /// is an issue of the test. On Linux only.
  case process
}
