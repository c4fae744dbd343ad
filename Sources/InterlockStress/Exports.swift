// Lets a user's executable conform its types with `import InterlockStress` alone. Type aliases
// would not be enough: under `MemberImportVisibility`, the members of a type are visible only if
// its module is imported or re-exported. From the modules with this project's caches and locks,
// only the protocols are exported.

@_exported public import protocol Caches.AsyncCache
@_exported public import protocol Caches.Cache
@_exported public import struct Caches.CacheEntry
@_exported public import Comparison
@_exported public import protocol LockStrategies.Lock
@_exported public import StressRunner
