/// Where the body of `stress` runs.
public enum StressIsolation: String, Sendable, Hashable, CaseIterable {
  /// In the process of the tests. A crash or a hang ends the process.
  case none
  /// In a child process, which runs the test alone up to the end of the stress. A crash or a hang
  /// becomes an issue of the test. On Linux only.
  case process
}
