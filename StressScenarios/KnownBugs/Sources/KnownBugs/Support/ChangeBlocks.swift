/// The blocks that a cache of TMCache's family calls around its changes. The object is `nil` if the
/// original passes none: after a removal, and on disk before one too.
struct ChangeBlocks<Block: Sendable>: Sendable {
  var willAddObject: Block?
  var didAddObject: Block?
  var willRemoveObject: Block?
  var didRemoveObject: Block?
}
