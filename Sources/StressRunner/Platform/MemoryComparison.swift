#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// True if two regions of memory hold the same bytes. Uses `memcmp`, because a Swift loop takes a
/// thousand times as long in a debug build.
func areEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
  guard first.count == second.count else { return false }
  guard let one = first.baseAddress, let other = second.baseAddress else { return true }
  return memcmp(one, other, first.count) == 0
}
