package import StressRunner

/// Caches as shipped, each with its repaired twin, and mistakes that any cache can have.
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
