/// The tracker's actions and results in this process.
///
/// Everything here may be called from any thread. The environment sets the same things for a
/// program that cannot be changed: `INTERLOCK_OPTIONS="on_conflict=log exit_code=66
/// stack_depth=16"`. If tracking is not compiled in (a release build without the package trait
/// `SectionTracking`), nothing here has an effect.
public enum SectionTracking {
  /// What happens when two owners conflict.
  public enum ConflictAction: Sendable {
    /// The report goes to standard error and the process traps, before the section's body runs.
    case trap
    /// The report goes to standard error, once for each pair of places; the process continues, and
    /// ends with the exit code.
    case log
    /// As `log`, without the report: read it from `conflicts`. At exit each has a line.
    case record
    /// The function is called on the thread of the second section, once for each pair of places.
    case handler(@Sendable (Conflict) -> Void)
  }

  /// What happens when a section is begun or ended wrongly.
  public enum MisuseAction: Sendable {
    /// A line goes to standard error, once.
    case log
    /// The misuse can be read from `misuses`.
    case record
    /// The function is called, once.
    case handler(@Sendable (Misuse) -> Void)
  }

  /// Whether this build tracks sections.
  public static var isCompiledIn: Bool {
    #if INTERLOCK_TRACKING
    true
    #else
    false
    #endif
  }

  /// What happens on a conflict; `trap` unless set here or by `on_conflict=`.
  public static var onConflict: ConflictAction {
    get { Settings.shared.onConflict }
    set { Settings.shared.onConflict = newValue }
  }

  /// What happens on a misuse; `log` unless set here, or `record` by `on_conflict=record`.
  public static var onMisuse: MisuseAction {
    get { Settings.shared.onMisuse }
    set { Settings.shared.onMisuse = newValue }
  }

  /// The exit code of a process with logged or recorded conflicts; 66, as ThreadSanitizer's, by
  /// default.
  ///
  /// Set here or by `exit_code=`.
  public static var exitCode: Int {
    get { Settings.shared.exitCode }
    set { Settings.shared.exitCode = newValue }
  }

  /// How many frames a begin captures, 0 to 16; 16 unless set here or by `stack_depth=`.
  public static var stackDepth: Int {
    get { Settings.shared.stackDepth }
    set { Settings.shared.stackDepth = newValue }
  }

  /// Stops every thread at its first conflict, before the section's body runs, and passes the
  /// process's first conflict to `report`, which ends the process. What `report` gets symbolicates
  /// the conflict's stacks.
  package static func stopAtFirstConflict(
    _ report: @escaping @Sendable (() -> Conflict) -> Never
  ) {
    ConflictLog.shared.stop(with: report)
  }

  /// Blocks forever if a thread is being stopped at its conflict: that thread ends the process.
  package static func waitIfStopping() { ConflictLog.shared.waitIfStopping() }

  /// The conflicts found so far, each pair of places once, with a count.
  ///
  /// This call symbolicates the stacks, which takes milliseconds.
  public static var conflicts: [Conflict] { ConflictLog.shared.conflicts }

  /// The misuses found so far.
  public static var misuses: [Misuse] { MisuseLog.shared.misuses }

  /// Forgets the conflicts and misuses found so far, and the exit code that they would cause.
  public static func removeAll() {
    ConflictLog.shared.removeAll()
    MisuseLog.shared.removeAll()
  }
}
