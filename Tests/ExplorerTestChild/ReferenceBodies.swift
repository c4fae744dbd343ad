import Dispatch

private final class Owner: Sendable {}

/// Weak and unowned references to an object whose last release races with their loads.
let referenceBodies = [
  Body("weak-reference") {
    let queue = DispatchQueue(label: "weak")
    var owner: Owner? = Owner()
    queue.async { [weak owner] in Outcomes.note(owner == nil ? "gone" : "there") }
    owner = nil
    queue.sync {}
    return true
  },
  Body("weak-reference-in-task") {
    runTask {
      var owner: Owner? = Owner()
      let task = Task { [weak owner] in owner == nil }
      owner = nil
      Outcomes.note(await task.value ? "gone" : "there")
    }
    return true
  },
  Body("kept-weak-reference") {
    let queue = DispatchQueue(label: "weak")
    let owner = Owner()
    queue.async { [weak owner] in Outcomes.note(owner == nil ? "gone" : "there") }
    withExtendedLifetime(owner) { queue.sync {} }
    return true
  },
  Body("unowned-reference") {
    let queue = DispatchQueue(label: "unowned")
    var owner: Owner? = Owner()
    queue.async { [unowned owner] in withExtendedLifetime(owner) {} }
    owner = nil
    queue.sync {}
    return true
  },
]
