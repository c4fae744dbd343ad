/// The six blocks that a cache of the family calls around its changes.
///
/// The object is `nil` if the original passes none: after a removal, and on disk before one too.
package struct PINEvents<Owner: Sendable>: Sendable {
  /// Called with one key.
  package typealias ObjectBlock =
    @Sendable (
      _ cache: Owner, _ key: String, _ object: PINObject?
    ) -> Void
  /// Called for the whole cache.
  package typealias CacheBlock = @Sendable (_ cache: Owner) -> Void

  /// Before an object is stored.
  package var willAddObject: ObjectBlock?
  /// After an object was stored.
  package var didAddObject: ObjectBlock?
  /// Before an object is removed.
  package var willRemoveObject: ObjectBlock?
  /// After an object was removed.
  package var didRemoveObject: ObjectBlock?
  /// Before everything is removed.
  package var willRemoveAllObjects: CacheBlock?
  /// After everything was removed.
  package var didRemoveAllObjects: CacheBlock?

  /// No blocks.
  package init() {}
}
