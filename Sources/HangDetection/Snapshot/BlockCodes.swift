import CInterlockAnalysis

/// Numbers for the code that blocks run, for one snapshot.
final class BlockCodes {
  private let reader = interlock_code_reader_make()

  deinit { interlock_code_reader_free(reader) }

  /// A number that is equal for blocks of the same code; 0 if the code is not known.
  func code(_ function: UInt, _ context: UInt, _ flags: UInt32) -> UInt64 {
    interlock_waits_code(reader, function, context, flags)
  }
}
