// What a user's own executable conforms to, by its name, with `import InterlockStress` alone.

public import Caches
public import StressRunner

/// A cache whose native form is synchronous.
public typealias Cache = Caches.Cache

/// A cache whose native form is `async`.
public typealias AsyncCache = Caches.AsyncCache

/// A value and its cost, as a cache holds them.
public typealias CacheEntry = Caches.CacheEntry

/// Something that a scenario can drive.
public typealias Subject = StressRunner.Subject

/// A subject by name, and how to make a fresh one.
public typealias SubjectEntry = StressRunner.SubjectEntry

/// One call that a workload makes on a subject.
public typealias Operation = StressRunner.Operation

/// What a call gave back.
public typealias Reply = StressRunner.Reply

/// A subject's state at rest, for the oracles.
public typealias FinalState = StressRunner.FinalState
