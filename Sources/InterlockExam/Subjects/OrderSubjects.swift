import InterlockStress
import OrderPrograms
import StressRunner

/// The small programs of `Scenarios/explore`: each a subject of its name, with one call,
/// `subject.run`, which replies with the check that failed.
let orderSubjects: [SubjectEntry] = orderPrograms.map { program in
  SubjectEntry(
    name: program.name, summary: program.summary, family: "Explore",
    actions: [ProgramSubject.action],
    runsUnlisted: false
  ) {
    ProgramSubject(runAndCheck: program.run)
  }
}
