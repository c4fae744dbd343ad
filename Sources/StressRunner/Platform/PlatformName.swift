/// The platforms for which a scenario may state different expectations.
package enum PlatformName: String, Sendable, CaseIterable {
  /// Linux: a pool of one thread a core, which grows by about one a second.
  case linux
  /// Apple's systems: the kernel runs the pools.
  case darwin

  /// The platform that this code runs on.
  package static var current: PlatformName {
    #if os(Linux) || os(Android)
    .linux
    #else
    .darwin
    #endif
  }
}
