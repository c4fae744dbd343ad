import InterlockStress
import MemoryPrograms
import StressRunner

/// The small programs of `Scenarios/memory`: each a subject of its name, with one call,
/// `subject.run`. Their module is compiled for the check of memory in every build.
let memorySubjects: [SubjectEntry] = memoryPrograms.map { program in
  var entry = SubjectEntry(
    name: program.name, summary: program.summary, family: "Memory",
    actions: [ProgramSubject.action],
    runsUnlisted: false
  ) {
    ProgramSubject(run: program.run)
  }
  entry.isInstrumented = true
  return entry
}
