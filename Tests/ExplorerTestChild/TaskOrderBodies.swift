import Foundation

/// Bodies of tasks with a known number of orders that a user can distinguish. `TaskOrderTests`
/// compares the numbers.
private actor Log {
  private(set) var text = ""
  func add(_ letter: String) { text += letter }
  func addAcrossYield(_ letter: String) async {
    text += letter
    await Task.yield()
    text += letter
  }
}

@MainActor private final class Page {
  var text = ""
  func add(_ letter: String) { text += letter }
}

private func letter(_ number: Int) -> String { String(UnicodeScalar(UInt8(97 + number))) }

private func group(of count: Int, _ work: @escaping @Sendable (String) async -> Void) {
  runTask {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<count { group.addTask { await work(letter(number)) } }
    }
  }
}

/// Unstructured tasks, awaited one after the other.
private func tasks(_ count: Int, _ work: @escaping @Sendable (String) async -> Void) {
  runTask {
    let tasks = (0..<count).map { number in Task { await work(letter(number)) } }
    for task in tasks { await task.value }
  }
}

let taskOrderBodies =
  [2, 3, 4].flatMap { count in
    [
      Body("empty-group-\(count)") {
        group(of: count) { _ in }
        return true
      },
      Body("empty-tasks-\(count)") {
        tasks(count) { _ in }
        return true
      },
      Body("equal-sleeps-\(count)") {
        tasks(count) { _ in try? await Task.sleep(for: .milliseconds(1)) }
        return true
      },
      Body("equal-sleeps-in-group-\(count)") {
        group(of: count) { _ in try? await Task.sleep(for: .milliseconds(1)) }
        return true
      },
      Body("group-actor-call-\(count)") {
        let log = Log()
        let text = Shared("")
        runTask {
          await withTaskGroup(of: Void.self) { group in
            for number in 0..<count { group.addTask { await log.add(letter(number)) } }
          }
          text.value = await log.text
        }
        Outcomes.note(text.value)
        return true
      },
      Body("group-results-\(count)") {
        let trail = Shared("")
        runTask {
          await withTaskGroup(of: String.self) { group in
            for number in 0..<count { group.addTask { letter(number) } }
            for await name in group { trail.value += name }
          }
        }
        Outcomes.note(trail.value)
        return true
      },
      Body("actor-calls-\(count)x2") {
        let log = Log()
        let text = Shared("")
        runTask {
          let tasks = (0..<count).map { number in
            Task {
              await log.add(letter(number))
              await log.add(letter(number))
            }
          }
          for task in tasks { await task.value }
          text.value = await log.text
        }
        Outcomes.note(text.value)
        return true
      },
      Body("group-main-actor-\(count)") {
        let text = Shared("")
        runTask {
          let page = Page()
          await withTaskGroup(of: Void.self) { group in
            for number in 0..<count { group.addTask { await page.add(letter(number)) } }
          }
          text.value = await page.text
        }
        Outcomes.note(text.value)
        return true
      },
      Body("main-actor-calls-\(count)") {
        let text = Shared("")
        runTask {
          let page = Page()
          let tasks = (0..<count).map { number in Task { await page.add(letter(number)) } }
          for task in tasks { await task.value }
          text.value = await page.text
        }
        Outcomes.note(text.value)
        return true
      },
      Body("actor-yield-\(count)") {
        let log = Log()
        let text = Shared("")
        runTask {
          let tasks = (0..<count).map { number in
            Task { await log.addAcrossYield(letter(number)) }
          }
          for task in tasks { await task.value }
          text.value = await log.text
        }
        Outcomes.note(text.value)
        return true
      },
    ]
  } + [
    // The tasks take the lock in two orders and reach the main actor in two orders: 4 outcomes.
    Body("main-actor-after-lock") {
      let lock = NSLock()
      let taken = Shared("")
      let text = Shared("")
      runTask {
        let page = Page()
        let tasks = (0..<2).map { number in
          Task {
            lock.withLock { taken.value += letter(number) }
            await page.add(letter(number))
          }
        }
        for task in tasks { await task.value }
        text.value = await page.text
      }
      Outcomes.note(taken.value + "-" + text.value)
      return true
    }
  ]
  + [1000, 2000, 4000, 10000].map { count in
    Body("many-tasks-\(count)") {
      let log = Log()
      runTask {
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<count { group.addTask { await log.add("") } }
        }
      }
      return true
    }
  }
