package import Programs

/// All programs with a fault that does not occur in the run, and their correct twins, sorted by
/// their primitives. Every program ends.
package let predictPrograms: [Program] =
  lockPrograms
  + leftLockPrograms
  + queuePrograms
  + mixedPrograms
  + mainQueuePrograms
  + readAgainPrograms
  + signalPrograms
  + limitPrograms
  + safeOrderPrograms
  + callbackPrograms
  + taskPrograms
