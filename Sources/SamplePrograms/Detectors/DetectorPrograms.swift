package import PredictPrograms

/// What race and deadlock detectors are compared on, beside the programs of
/// `StressScenarios/predict`.
///
/// Unlike those, what is shared here is plain memory that is written at the same time, or a file: a
/// detector that watches every access must have a chance. What is wrong stays small, so that no run
/// crashes.
package let detectorPrograms: [PredictProgram] =
  shortWritePrograms
  + filePrograms
  + sectionMutexPrograms
  + ownMutexPrograms
  + guardedPrograms
