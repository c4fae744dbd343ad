import SamplePrograms
import InterlockStress
import StressRunner

/// The small programs of `Scenarios/hangs`: each a subject of its name, with one call,
/// `subject.run`.
let hangSubjects: [SubjectEntry] = hangPrograms.map { program in
  SubjectEntry(
    name: program.name, summary: program.summary, family: "Hangs", actions: [ProgramSubject.action],
    runsUnlisted: false
  ) {
    ProgramSubject(run: program.run)
  }
}
