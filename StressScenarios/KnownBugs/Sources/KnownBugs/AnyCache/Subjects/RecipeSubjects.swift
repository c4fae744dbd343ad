import Caches
import InterlockStress
import LockStrategies

/// Mistakes that any cache can have, each in a faulty and a repaired form.
let recipeSubjects: [SubjectEntry] = [
  markedTable("marked-table", "a table with the article's marks, and no lock", repaired: false),
  markedTable("marked-table-locked", "marked-table under a POSIX mutex", repaired: true),
  sharedValue("shared-value", "hands out the object that it holds, to be edited", repaired: false),
  sharedValue("shared-value-copied", "shared-value that hands out copies", repaired: true),
  counting("two-step-count", "counts in two locked steps: look, then store", repaired: false),
  counting("one-step-count", "counts in one locked step", repaired: true),
  inversion("watched-spin-lock", "a spin lock; a reader comes while a low-priority writer is in") {
    SpinLock(offersProcessor: false)
  },
  inversion("watched-mutex", "watched-spin-lock under a POSIX mutex") { PthreadMutexLock() },
]

private let family = "Any cache"

private func markedTable(_ name: String, _ summary: String, repaired: Bool) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: "RCTool", actions: ["count-in-writes"],
    runsUnlisted: false
  ) {
    let table = MarkedTable(repaired: repaired)
    return ActingSubject(
      .cache(name, summary) { table },
      actions: [
        "count-in-writes": { operation, completion in
          completion(.count(table.setValueAndCount(operation.value, forKey: operation.key)))
        }
      ])
  }
}

private func sharedValue(_ name: String, _ summary: String, repaired: Bool) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: family, actions: ["edit"], runsUnlisted: false
  ) {
    let cache = SharedValueCache(repaired: repaired)
    return ActingSubject(
      .cache(name, summary) { cache },
      actions: [
        // Writes every byte anew, so that the final value is whole in any order of the edits.
        "edit": { operation, completion in
          _ = cache.edit(operation.key) { bytes in
            for index in bytes.indices where index < operation.value.count {
              bytes[index] = operation.value[index]
            }
          }
          completion(.done)
        }
      ])
  }
}

private func counting(_ name: String, _ summary: String, repaired: Bool) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: family, actions: ["count-one"], runsUnlisted: false
  ) {
    let cache = CountingCache(repaired: repaired)
    let calls = Box(0)
    return ActingSubject(
      .cache(name, summary) { cache },
      actions: [
        "count-one": { operation, completion in
          cache.countOne("count")
          calls.change { $0 += 1 }
          completion(.done)
        }
      ],
      state: { state in
        state.totals.append(
          .init("the count", claimed: cache.number(forKey: "count"), counted: calls.value))
      })
  }
}

private func inversion(
  _ name: String, _ summary: String, _ lock: @escaping @Sendable () -> some Lock
) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: family, actions: ["set-while-watched"],
    runsUnlisted: false, missing: PriorityThreads.lacking
  ) {
    let watch = PriorityWatch(lock: lock())
    return ActingSubject(
      .cache(name, summary) { watch.cache },
      actions: ["set-while-watched": { watch.setWhileWatched($0, completion: $1) }],
      state: { state in state.limits.append(watch.waste) })
  }
}
