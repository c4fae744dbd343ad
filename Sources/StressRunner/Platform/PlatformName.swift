/// The platforms for which a scenario may state different expectations.
package enum PlatformName: String, Sendable, CaseIterable {
  /// Linux: a pool starts with one thread per core, and grows by about one thread a second.
  case linux
  /// Apple's systems: the kernel runs the pools.
  case darwin

  /// The current platform.
  package static var current: PlatformName {
    #if os(Linux) || os(Android)
    .linux
    #else
    .darwin
    #endif
  }
}
