/// The tracker's actions and results in this process.
///
/// All members may be called from any thread. For a program that cannot be changed, the environment
/// sets the same things: `INTERLOCK_OPTIONS="on_conflict=log exit_code=66 stack_depth=16"`. If
/// tracking is not compiled in (a release build without the package trait `SectionTracking`), no
/// member has an effect.
public enum SectionTracking {
  /// The action when two owners conflict.
  public enum ConflictAction: Sendable {
    /// Write the report to standard error and trap, before the section's body runs.
    case trap
    /// Write the report to standard error, once for each pair of places and name of a resource. The
    /// process continues, and ends with the exit code. At exit each conflict has a line with the
    /// number of its overlaps, on all instances of the name.
    case log
    /// Like `log`, without the report: read it from `conflicts`. At exit each conflict has a line.
    case record
    /// Call the function on the thread of the second section, once for each pair of places on each
    /// resource: two instances of one name are two resources. If the two places overlap on more
    /// than a thousand resources, call it once for all further ones. Several threads may call it at
    /// the same time.
    case handler(@Sendable (Conflict) -> Void)
  }

  /// The action when a section is begun or ended wrongly.
  public enum MisuseAction: Sendable {
    /// Write a line to standard error, once.
    case log
    /// Keep the misuse in `misuses`.
    case record
    /// Call the function, once.
    case handler(@Sendable (Misuse) -> Void)
  }

  /// True if this build tracks sections.
  public static var isCompiledIn: Bool {
    #if INTERLOCK_TRACKING
    true
    #else
    false
    #endif
  }

  /// The action on a conflict. `trap` by default; set it here or by `on_conflict=`.
  public static var onConflict: ConflictAction {
    get { Settings.shared.onConflict }
    set { Settings.shared.onConflict = newValue }
  }

  /// The action on a misuse. `log` by default; set it here, or to `record` by `on_conflict=record`.
  public static var onMisuse: MisuseAction {
    get { Settings.shared.onMisuse }
    set { Settings.shared.onMisuse = newValue }
  }

  /// The exit code of a process with logged or recorded conflicts. 66 by default, as in
  /// ThreadSanitizer.
  ///
  /// Set it here or by `exit_code=`.
  public static var exitCode: Int {
    get { Settings.shared.exitCode }
    set { Settings.shared.exitCode = newValue }
  }

  /// The number of frames that a begin captures, 0 to 16. 16 by default; set it here or by
  /// `stack_depth=`.
  public static var stackDepth: Int {
    get { Settings.shared.stackDepth }
    set { Settings.shared.stackDepth = newValue }
  }

  /// Stops every thread at its first conflict, before the section's body runs, and passes the
  /// process's first conflict to `report`, which ends the process. The function that `report`
  /// receives symbolicates the conflict's stacks.
  package static func stopAtFirstConflict(
    _ report: @escaping @Sendable (() -> Conflict) -> Never
  ) {
    ConflictLog.shared.stop(with: report)
  }

  /// Blocks forever if a thread is being stopped at its conflict. That thread ends the process.
  package static func waitIfStopping() { ConflictLog.shared.waitIfStopping() }

  /// The conflicts found so far, one for each pair of places and name of a resource, with a count;
  /// under a `handler`, one for each time it was called. Each has the instance and the part of its
  /// first overlap.
  ///
  /// Symbolicates the stacks, which takes milliseconds.
  public static var conflicts: [Conflict] { ConflictLog.shared.conflicts }

  /// The misuses found so far.
  public static var misuses: [Misuse] { MisuseLog.shared.misuses }

  /// Forgets the conflicts and misuses found so far, and the exit code that they would cause.
  public static func removeAll() {
    ConflictLog.shared.removeAll()
    MisuseLog.shared.removeAll()
  }
}
