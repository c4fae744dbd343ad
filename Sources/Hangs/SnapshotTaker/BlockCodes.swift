import CInterlockAnalysis

/// Numbers blocks by their code, for one snapshot.
final class BlockCodes {
  private let reader = interlock_code_reader_make()

  deinit { interlock_code_reader_free(reader) }

  /// A number shared by blocks with the same code; 0 if the code is unknown.
  func code(_ function: UInt, _ context: UInt, _ flags: UInt32) -> UInt64 {
    interlock_waits_code(reader, function, context, flags)
  }

  /// A number shared by blocks with the same code whose closures have captured equal values; 0 if
  /// unknown.
  func values(_ function: UInt, _ context: UInt, _ flags: UInt32) -> UInt64 {
    interlock_waits_values(reader, function, context, flags)
  }

  /// Like `values`, if blocks of this code always begin with the call at `place`; otherwise 0.
  func values(of run: interlock_run, goingStraightTo place: UInt) -> UInt64 {
    interlock_waits_straight(reader, run.function, run.context, run.flags, place)
      ? values(run.function, run.context, run.flags) : 0
  }
}
