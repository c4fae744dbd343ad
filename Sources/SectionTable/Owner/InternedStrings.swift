/// Strings that are never freed: names of `Section`s and labels of queues.
final class InternedStrings: Sendable {
  /// The names of `Section`s.
  static let names = InternedStrings()
  /// The labels of queues.
  static let labels = InternedStrings()

  private struct State {
    var known: [String: UnsafePointer<CChar>] = [:]
  }

  /// The most labels that are distinguished. Programs may create endless labels, such as `"request
  /// \(number)"`.
  private static let labelLimit = 4096

  private let state = Guarded(State())

  /// The unique copy of a C string; above the limit, a string that says so.
  func intern(_ string: UnsafePointer<CChar>) -> UnsafePointer<CChar> {
    intern(String(cString: string), limit: Self.labelLimit)
  }

  /// The unique copy of a string, zero-terminated.
  func intern(_ string: String, limit: Int = .max) -> UnsafePointer<CChar> {
    state.withLock { state in
      if let copy = state.known[string] { return copy }
      let kept = state.known.count < limit ? string : "(one of many)"
      if let copy = state.known[kept] { return copy }
      let copy = Self.copy(kept)
      state.known[kept] = copy
      return copy
    }
  }

  private static func copy(_ string: String) -> UnsafePointer<CChar> {
    var string = string
    return string.withUTF8 { bytes in
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
      for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
      copy[bytes.count] = 0
      return UnsafePointer(copy)
    }
  }
}
