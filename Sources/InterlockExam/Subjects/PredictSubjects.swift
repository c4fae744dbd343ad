import SamplePrograms
import InterlockStress
import PredictPrograms
import StressRunner

/// The small programs of `Scenarios/predict`: each a subject of its name, with one call,
/// `subject.run`.
let predictSubjects: [SubjectEntry] = (predictPrograms + racePrograms).map { program in
  SubjectEntry(
    name: program.name, summary: program.summary, family: "Predict",
    actions: [ProgramSubject.action],
    runsUnlisted: false
  ) {
    ProgramSubject(runAndCallBack: program.run)
  }
}

/// The programs on which detectors are compared, as subjects in the same way.
let detectorSubjects: [SubjectEntry] = detectorPrograms.map { program in
  SubjectEntry(
    name: program.name, summary: program.summary, family: "Detectors",
    actions: [ProgramSubject.action],
    runsUnlisted: false
  ) {
    ProgramSubject(runAndCallBack: program.run)
  }
}
