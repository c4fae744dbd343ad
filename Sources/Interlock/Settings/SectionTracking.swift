/// What the tracker does in this process.
///
/// Everything here may be called from any thread. The environment sets the same things for a
/// program that cannot be changed:
/// `INTERLOCK_OPTIONS="on_conflict=log exit_code=66 stack_depth=16"`. Where tracking is not
/// compiled in (a release build without the package trait `SectionTracking`), nothing here has an
/// effect.
public enum SectionTracking {
  /// What happens when two owners conflict.
  public enum ConflictAction: Sendable {
    /// The report goes to standard error and the process traps, before the section's body runs.
    case trap
    /// The report goes to standard error, once for each pair of places; the process goes on, and
    /// exits with the exit code at its end.
    case log
    /// As `log`, without the report: read it from `conflicts`. At exit each has a line.
    case record
    /// The function is called on the thread that came second, once for each pair of places.
    case handler(@Sendable (Conflict) -> Void)
  }

  /// What happens when a section is begun or ended wrongly.
  public enum MisuseAction: Sendable {
    /// A line goes to standard error, once.
    case log
    /// It can be read from `misuses`.
    case record
    /// The function is called, once.
    case handler(@Sendable (Misuse) -> Void)
  }

  /// Whether this build tracks sections at all.
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

  /// The exit code of a process that ends with conflicts logged or recorded: 66, as
  /// ThreadSanitizer's, unless set here or by `exit_code=`.
  public static var exitCode: Int {
    get { Settings.shared.exitCode }
    set { Settings.shared.exitCode = newValue }
  }

  /// How many frames are captured at begin, 0 to 16; 16 unless set here or by `stack_depth=`.
  public static var stackDepth: Int {
    get { Settings.shared.stackDepth }
    set { Settings.shared.stackDepth = newValue }
  }

  /// Stops every thread at its first conflict, before the section's body runs, and hands the first
  /// of all to `report`, which ends the process. For a process that is there to find one.
  package static func stopAtFirstConflict(
    _ report: @escaping @Sendable (Conflict) -> Never
  ) {
    ConflictLog.shared.stop(with: report)
  }

  /// Blocks for ever if a thread is being stopped at its conflict: it ends the process.
  package static func waitIfStopping() { ConflictLog.shared.waitIfStopping() }

  /// The conflicts found so far, each pair of places once, with a count.
  ///
  /// Stacks are turned into functions and lines at this call; that takes milliseconds.
  public static var conflicts: [Conflict] { ConflictLog.shared.conflicts }

  /// The misuses found so far.
  public static var misuses: [Misuse] { MisuseLog.shared.misuses }

  /// Forgets the conflicts and misuses found so far; with them, the exit code that they would
  /// cause.
  public static func removeAll() {
    ConflictLog.shared.removeAll()
    MisuseLog.shared.removeAll()
  }
}
