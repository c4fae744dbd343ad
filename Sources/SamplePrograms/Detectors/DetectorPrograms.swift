package import Programs

/// The programs on which race and deadlock detectors are compared, in addition to those of
/// `predictPrograms`.
///
/// Here the shared state is plain memory that is written concurrently, or a file, so that a
/// detector that observes every access has a chance too. The faults have small effects, so that no
/// run crashes.
package let detectorPrograms: [Program] =
  shortWritePrograms
  + filePrograms
  + sectionMutexPrograms
  + ownMutexPrograms
  + guardedPrograms
