package import StressRunner

/// Caches as their authors shipped them, each with its repaired twin, and mistakes that belong to
/// no one cache.
///
/// A list for each system, in the order of `interlock list`.
package let knownBugSubjects: [SubjectEntry] =
  tmcacheSubjects
  + pinCacheSubjects
  + pinOperationSubjects
  + yycacheSubjects
  + hybridStorageSubjects
  + imageCacheSubjects
  + modernSubjects
  + recipeSubjects
