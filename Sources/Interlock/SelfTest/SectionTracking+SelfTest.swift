extension SectionTracking {
  /// The reason why the tracker cannot be trusted in this process.
  public enum SelfTestFailure: Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The build has no tracking.
    case notCompiledIn
    /// Tracking is switched off by `INTERLOCK_OPTIONS`.
    case switchedOff
    /// The system could not create two threads for the test.
    case noThread
    /// Two sections that certainly overlapped were not found.
    case missed
    /// A section without any other was reported as overlapping.
    case falseAlarm

    /// The reason in one line.
    public var description: String {
      switch self {
      case .notCompiledIn:
        "section tracking is not compiled in (a debug build, or --traits SectionTracking)"
      case .switchedOff: "section tracking is switched off (sections=off in INTERLOCK_OPTIONS)"
      case .noThread: "the system gave no two threads to plant a race with"
      case .missed: "a planted race of two sections was not found"
      case .falseAlarm: "a section that was alone was reported as overlapping another"
      }
    }
  }

  /// Plants a race, and throws unless the tracker finds it. Call it once in a test suite that
  /// relies on the tracker.
  ///
  /// Two threads of the test begin to write one resource in lockstep. The result appears neither in
  /// `conflicts` nor in any report, whatever `onConflict` is. The test takes less than a
  /// millisecond if a processor is free. Call it from any thread, but not from a handler of
  /// conflicts. It tests only the calling process, and says nothing about another build. Source:
  /// KCSAN's self-test at boot (`CONFIG_KCSAN_SELFTEST`, Linux).
  public static func selfTest() throws(SelfTestFailure) {
    try SelfTest.run()
  }
}
