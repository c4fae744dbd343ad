import Dispatch
import Foundation
import Interlock
import ProcessInspection
import Synchronization

/// Makes the calls of a script on a subject, in the script's order.
final class ScriptRun: Sendable {
  /// The key of the thread-local value that names a thread's role.
  private static let roleKey = "interlock.role"

  private let script: Script
  private let values: ScriptValues
  private let subject: any Subject
  private let control: ScriptControl
  private let ledger: Ledger
  private let history: History
  private let progress: any ProgressSink
  private let uncompleted: Atomic<Int>
  private let allCompleted = DispatchSemaphore(value: 0)
  private let givenUpAt = Atomic(Int.max)

  /// The epochs between which a call was held up.
  private final class HeldUp: Sendable {
    /// The hold-up of the current call, if the script defines points for hold-ups.
    @TaskLocal static var current: HeldUp?

    // Relaxed: the call's own thread writes them, and its completion reads them.
    private let began = Atomic(Int.max)
    private let ended = Atomic(Int.max)

    func begin(at epoch: Int) {
      if began.load(ordering: .relaxed) == .max { began.store(epoch, ordering: .relaxed) }
    }

    func end(at epoch: Int) { ended.store(epoch, ordering: .relaxed) }

    /// The epochs from the first beginning to the last end; empty if the call did not reach the
    /// beginning.
    func epochs(ofCallUntil end: Int) -> Range<Int> {
      let began = began.load(ordering: .relaxed)
      return began < end ? began..<max(began, min(ended.load(ordering: .relaxed), end)) : end..<end
    }
  }

  /// Creates a run.
  init(
    _ script: Script, values: ScriptValues, on subject: any Subject, ledger: Ledger,
    isExplored: Bool = false, progress: any ProgressSink
  ) {
    self.script = script
    self.values = values
    self.subject = subject
    self.ledger = ledger
    self.progress = progress
    history = History(
      isExplored: isExplored,
      decides: [.readsFresh, .nothingLost, .holdUpBounded].contains(where: ledger.asks))
    control = ScriptControl(script)
    uncompleted = Atomic(script.callCount)
  }

  /// The events, in order.
  var record: ScriptRecord { control.record }

  /// The epoch at which the order was given up and all roles began to run freely; `Int.max` if the
  /// order was completed. Relaxed: it is read after every thread has been joined.
  var endOfOrder: Int { givenUpAt.load(ordering: .relaxed) }

  /// The completed calls.
  var calls: [History.Call] { history.calls }

  /// Makes the calls of the preparation, one after another.
  func prepare() {
    DedicatedThread { [self] in
      for call in script.preparation { for _ in 0..<call.times { perform(call, role: nil) } }
    }.join()
  }

  /// Makes every role's calls, and returns when all have completed.
  ///
  /// - Parameter ignoredThreads: Threads that existed before the subject.
  func run(ignoring ignoredThreads: Set<Int>) {
    SyncPoints.arm { [self] point in
      noteHeldUp(at: point)
      control.reached(point, role: Thread.current.threadDictionary[Self.roleKey] as? String)
    }
    let watch = watch(ignoring: ignoredThreads)
    let threads = script.roles.enumerated().map { caller, role in
      DedicatedThread { [self] in
        Thread.current.threadDictionary[Self.roleKey] = role.name
        control.enter(role: role.name)
        var number = 0
        for (index, call) in role.calls.enumerated() {
          for _ in 0..<call.times {
            control.reached("call \(index + 1) begins", role: role.name)
            control.did(name(of: call), role: role.name)
            perform(call, role: role.name, caller: caller, number: number)
            number += 1
            control.reached("call \(index + 1) ends", role: role.name)
          }
        }
      }
    }
    threads.forEach { $0.join() }
    if uncompleted.load(ordering: .acquiring) > 0 { allCompleted.wait() }
    // A queue's threads may still reach the remaining steps. The watching thread ends when they
    // have done so, or cannot.
    watch.join()
    SyncPoints.arm(nil)
  }

  /// Makes every role's calls without the script's order and without recording events; returns when
  /// all have completed.
  func runFreely() {
    if script.heldUp != nil { SyncPoints.arm { [self] point in noteHeldUp(at: point) } }
    defer { if script.heldUp != nil { SyncPoints.arm(nil) } }
    let threads = script.roles.enumerated().map { caller, role in
      DedicatedThread { [self] in
        var number = 0
        for call in role.calls {
          for _ in 0..<call.times {
            perform(call, role: role.name, caller: caller, number: number, isRecorded: false)
            number += 1
          }
        }
      }
    }
    threads.forEach { $0.join() }
    if uncompleted.load(ordering: .acquiring) > 0 { allCompleted.wait() }
  }

  /// Records when the current thread's call reaches the points between which it is held up.
  private func noteHeldUp(at point: String) {
    guard let heldUp = script.heldUp, let call = HeldUp.current else { return }
    if point == heldUp.from { call.begin(at: history.now()) }
    if point == heldUp.until { call.end(at: history.now()) }
  }

  /// Starts a thread that lets all roles run freely when the order cannot be completed any more.
  private func watch(ignoring ignored: Set<Int>) -> DedicatedThread {
    DedicatedThread { [self] in
      func giveUp(because reason: String) {
        control.giveUp(because: reason) { givenUpAt.store(history.now(), ordering: .relaxed) }
      }
      var quiescence = Quiescence(ignoring: ignored.union([Platform.thisThread]))
      let deadline = Platform.now + script.seconds
      while !control.waitUntilOver(before: Date(timeIntervalSinceNow: Quiescence.lookSeconds)) {
        if Platform.now > deadline {
          giveUp(because: "was not reached within \(limitText(script.seconds))")
        } else if quiescence.look() {
          giveUp(because: "cannot be reached: every thread waits")
        }
      }
    }
  }

  /// Makes one call. For a role's call, the call and its end are recorded.
  ///
  /// - Parameters:
  ///   - call: The call to make.
  ///   - role: The calling role; `nil` in the preparation.
  ///   - caller: The role's number.
  ///   - number: The call's number among those of its role, from 0.
  ///   - isRecorded: True if the events include the end of a role's call.
  private func perform(
    _ call: Script.Call, role: String?, caller: Int = 0, number: Int = 0, isRecorded: Bool = true
  ) {
    let completed = DispatchSemaphore(value: 0)
    let isCompleted = Atomic(false)
    let began = history.now()
    if role != nil { progress.began(caller: caller, operation: number) }
    let heldUp = script.heldUp == nil ? nil : HeldUp()
    let completion: @Sendable (Reply) -> Void = { [self] reply in
      // Relaxed: the exchange only distinguishes the first completion, and publishes nothing.
      guard !isCompleted.exchange(true, ordering: .relaxed) else {
        ledger.note(.completesOnce, "a \(name(of: call)) completed again")
        return
      }
      let ended = history.now()
      history.note(
        History.Call(
          kind: call.kind, key: call.key, value: value(of: call, reply), began: began,
          ended: ended, heldUp: heldUp?.epochs(ofCallUntil: ended)))
      if let role { noteEnd(of: call, reply, role: isRecorded ? role : nil) }
      if role != nil { progress.completed(caller: caller) }
      completed.signal()
      // Acquiring and releasing: the subject's work in each call happens before the code after the
      // last completion.
      guard role != nil, uncompleted.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
      else { return }
      allCompleted.signal()
    }
    let operation = operation(for: call)
    if let heldUp {
      HeldUp.$current.withValue(heldUp) { subject.perform(operation, completion: completion) }
    } else {
      subject.perform(operation, completion: completion)
    }
    if call.waits || role == nil { completed.wait() }
  }

  /// Checks a reply, and records the end of the call for `role`.
  private func noteEnd(of call: Script.Call, _ reply: Reply, role: String?) {
    func did(_ text: @autoclosure () -> String) {
      if let role { control.did(text(), role: role) }
    }
    switch reply {
    case .value(let bytes):
      did("\(key(call)) is \(values.name(of: bytes, ofKey: call.key))")
      guard let bytes, values.number(of: bytes, ofKey: call.key) == nil else { return }
      ledger.note(
        .valuesIntact,
        "a \(name(of: call)) returned \(bytes.count) bytes that are none of its values")
    case .count(let count): did("\(count) keys")
    case .done: did("\(name(of: call)) is done")
    case .failed(let evidence):
      did("\(name(of: call)) failed")
      ledger.note(.checksHold, "a \(name(of: call)) failed: \(evidence)")
    }
  }

  private func value(of call: Script.Call, _ reply: Reply) -> Int? {
    if call.kind.stores { return call.value }
    guard case .value(let bytes?) = reply else { return nil }
    return values.number(of: bytes, ofKey: call.key)
  }

  private func operation(for call: Script.Call) -> Operation {
    switch call.kind {
    case .get, .getAsync, .remove, .removeAsync:
      Operation(kind: call.kind, key: key(call))
    case .removeAll, .count:
      Operation(kind: call.kind, key: "")
    case .set, .setAsync, .action:
      Operation(
        kind: call.kind, key: key(call),
        value: values.value(call.value, ofKey: call.key, bytes: call.bytes), cost: call.cost)
    }
  }

  private func key(_ call: Script.Call) -> String { "key-\(call.key)" }

  /// "set key-0 to value 1".
  private func name(of call: Script.Call) -> String {
    let kind = call.kind.rawValue
    if call.kind.stores { return "\(kind) \(key(call)) to value \(call.value)" }
    if call.kind == .removeAll || call.kind == .count { return kind }
    return "\(kind) \(key(call))"
  }
}
