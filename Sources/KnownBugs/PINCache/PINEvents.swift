/// The six blocks that a cache of the family calls around its changes.
///
/// The object is `nil` where the original passes none: after a removal, and on disk before one too.
public struct PINEvents<Owner: Sendable>: Sendable {
  /// Told of one key.
  public typealias ObjectBlock =
    @Sendable (
      _ cache: Owner, _ key: String, _ object: PINObject?
    ) -> Void
  /// Told of the whole cache.
  public typealias CacheBlock = @Sendable (_ cache: Owner) -> Void

  /// Before an object is stored.
  public var willAddObject: ObjectBlock?
  /// After an object was stored.
  public var didAddObject: ObjectBlock?
  /// Before an object is removed.
  public var willRemoveObject: ObjectBlock?
  /// After an object was removed.
  public var didRemoveObject: ObjectBlock?
  /// Before everything is removed.
  public var willRemoveAllObjects: CacheBlock?
  /// After everything was removed.
  public var didRemoveAllObjects: CacheBlock?

  /// No blocks.
  public init() {}
}
