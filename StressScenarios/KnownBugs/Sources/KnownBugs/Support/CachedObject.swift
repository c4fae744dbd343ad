/// An object as applications store them: its `deinit` may call a block.
final class CachedObject: Sendable {
  let bytes: [UInt8]
  private let end: (@Sendable () -> Void)?

  init(_ bytes: [UInt8], end: (@Sendable () -> Void)? = nil) {
    self.bytes = bytes
    self.end = end
  }

  deinit { end?() }
}
