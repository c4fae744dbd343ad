// A user's own executable conforms its types with `import InterlockStress` alone. Type aliases
// would not do: under `MemberImportVisibility` the members of a type are only seen where the module
// that declares it is imported, or exported to. Of the modules that have caches and locks of this
// project's, the protocols alone.

@_exported public import protocol Caches.AsyncCache
@_exported public import protocol Caches.Cache
@_exported public import struct Caches.CacheEntry
@_exported public import Comparison
@_exported public import protocol LockStrategies.Lock
@_exported public import StressRunner
