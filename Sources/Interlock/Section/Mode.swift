/// What a section lets others do to its resource while it is open.
///
/// The names and raw values are those of the RCTool article, and of `interlock.h`.
public enum Mode: Int, Sendable, Hashable, Codable {
  /// "I read": others may read, nobody may write.
  case noWrite = 1
  /// "I write": nobody else may be in.
  case noReadWrite = 3
}
