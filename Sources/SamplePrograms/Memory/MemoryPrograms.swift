package import Programs

/// All programs in which two threads or tasks use the same memory, with a race or without.
///
/// The race is one of happens-before: nothing orders the two accesses in any run, although the
/// clock keeps them apart so that no run crashes. See FastTrack (PLDI 2009).
package let memoryPrograms: [Program] =
  valuePrograms
  + collectionPrograms
  + classPrograms
  + variablePrograms
  + pointerPrograms
  + lockPrograms
  + readWritePrograms
  + signalPrograms
  + queuePrograms
  + dispatchPrograms
  + dispatchSourcePrograms
  + atomicPrograms
  + guardPrograms
  + threadPrograms
  + taskPrograms
  + taskGroupPrograms
  + actorPrograms
  + resumePrograms
  + storagePrograms
  + libraryPrograms
