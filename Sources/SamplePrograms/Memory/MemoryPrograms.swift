package import Programs

/// All programs in which two threads or tasks use the same memory, with a race or without.
///
/// The race is one of happens-before: nothing orders the two accesses in any run, although the
/// clock keeps them apart so that no run crashes. See FastTrack (PLDI 2009).
package let memoryPrograms: [Program] =
  valuePairs + collectionPairs + classPairs + variablePairs + pointerPairs + lockPairs
  + readWritePairs + signalPairs + queuePairs + dispatchPairs + dispatchSourcePairs
  + atomicPairs + guardPairs
  + threadPairs + taskPairs + taskGroupPairs + actorPairs + resumePairs + storagePairs
  + libraryPairs
