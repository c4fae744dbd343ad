import CInterlockAnalysis

/// Numbers for the code that blocks run, for one snapshot.
final class BlockCodes {
  private let reader = interlock_code_reader_make()

  deinit { interlock_code_reader_free(reader) }

  /// A number that is equal for blocks of the same code; 0 if the code is not known.
  func code(_ function: UInt, _ context: UInt, _ flags: UInt32) -> UInt64 {
    interlock_waits_code(reader, function, context, flags)
  }

  /// A number that is equal for blocks of the same code whose closures have captured the same; 0 if
  /// that is not known.
  func values(_ function: UInt, _ context: UInt, _ flags: UInt32) -> UInt64 {
    interlock_waits_values(reader, function, context, flags)
  }

  /// As `values`, if such blocks always make the call at a place, and nothing before; else 0.
  func values(of run: interlock_run, goingStraightTo place: UInt) -> UInt64 {
    interlock_waits_straight(reader, run.function, run.context, run.flags, place)
      ? values(run.function, run.context, run.flags) : 0
  }
}
