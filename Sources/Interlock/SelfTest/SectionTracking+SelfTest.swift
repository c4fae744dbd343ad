extension SectionTracking {
  /// Why the tracker cannot be trusted in this process.
  public enum SelfTestFailure: Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The build has no tracking.
    case notCompiledIn
    /// Tracking is switched off by `INTERLOCK_OPTIONS`.
    case switchedOff
    /// The system gave no two threads to test with.
    case noThread
    /// Two sections that certainly overlapped were not found.
    case missed
    /// A section that was alone was said to have met another.
    case falseAlarm

    /// The reason in one line.
    public var description: String {
      switch self {
      case .notCompiledIn:
        "section tracking is not compiled in (a debug build, or --traits SectionTracking)"
      case .switchedOff: "section tracking is switched off (sections=off in INTERLOCK_OPTIONS)"
      case .noThread: "the system gave no two threads to plant a race with"
      case .missed: "a planted race of two sections was not found"
      case .falseAlarm: "a section that was alone was said to have met another"
      }
    }
  }

  /// Plants a race and throws unless the tracker finds it: to be called in a test suite that counts
  /// on being told of races, once.
  ///
  /// Two threads of its own, held together step by step, begin to write one resource; what is found
  /// is in neither `conflicts` nor any report, whatever `onConflict` is. Takes less than a
  /// millisecond on a machine that has a processor left. May be called from any thread, not from a
  /// handler of conflicts. Works in the process that calls it: it says nothing of another build.
  /// Source: KCSAN's self-test at boot (`CONFIG_KCSAN_SELFTEST`, Linux).
  public static func selfTest() throws(SelfTestFailure) {
    try SelfTest.run()
  }
}
