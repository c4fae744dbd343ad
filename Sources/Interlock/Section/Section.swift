#if INTERLOCK_TRACKING
public import SectionTable
#endif

/// A resource of one instance, whose reads and writes are marked.
///
/// Two sections with the same name are two resources. A copy of a section is the same resource. The
/// value has no memory beyond its own words, and none if tracking is not compiled in. Thread-safe.
public struct Section: Sendable {
  #if INTERLOCK_TRACKING
  @usableFromInline let words: SectionWords

  var resource: Resource { words.resource }
  #endif

  /// A resource of this name.
  #if !INTERLOCK_TRACKING
  @_transparent
  #endif
  public init(_ name: StaticString) {
    #if INTERLOCK_TRACKING
    words = SectionWords(name)
    #endif
  }

  /// A resource of this computed name; the name is kept for the life of the process.
  @_disfavoredOverload
  #if !INTERLOCK_TRACKING
  @_transparent
  #endif
  public init(_ name: @autoclosure () -> String) {
    #if INTERLOCK_TRACKING
    words = SectionWords(computed: name())
    #endif
  }
}
