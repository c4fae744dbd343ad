extension FoundationCache {
  #if os(Linux)
  /// What this system lacks to show the peculiarities that are named above; `nil` if it has
  /// them.
  static var lackingForPeculiarities: String? { nil }
  #else
  /// What this system lacks to show the peculiarities that are named above; `nil` if it has
  /// them.
  static var lackingForPeculiarities: String? {
    "the NSCache of swift-corelibs-foundation, which is Linux's"
  }
  #endif
}
