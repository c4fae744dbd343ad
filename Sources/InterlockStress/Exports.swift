// A user's own executable conforms its types with `import InterlockStress` alone. Type aliases would not do:
// under `MemberImportVisibility` the members of a type are only seen where the module that declares it is
// imported, or exported to.

@_exported public import Caches
@_exported public import Comparison
@_exported public import LockStrategies
@_exported public import StressRunner
