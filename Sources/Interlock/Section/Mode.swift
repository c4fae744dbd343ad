/// The mode of a section: whether it reads or writes, and so what other owners may do meanwhile.
///
/// Names and raw values are those of "Detecting race conditions in iOS" (2012) and of
/// `interlock.h`.
public enum Mode: Int, Sendable, Hashable, Codable {
  /// "I read": others may read, no other owner may write.
  case noWrite = 1
  /// "I write": no other owner may be in a section.
  case noReadWrite = 3
}

extension Mode {
  /// True if an owner in this mode changes the resource.
  @_transparent public var writes: Bool {
    // A pattern match: `==` would be a call in a debug build.
    if case .noReadWrite = self { true } else { false }
  }
}
