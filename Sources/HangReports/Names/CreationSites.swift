import Interlock
import ProcessInspection
import Hangs

/// The places that created the objects of a snapshot, outside of classes that wrap locks and of
/// functions that create locks for their callers.
struct CreationSites {
  private let shown: [WaitIndex.ObjectID: CallSite.Shown]

  init(_ snapshot: WaitSnapshot) {
    // The `created` of a waiting task is the place of its wait: leave it out.
    let made = snapshot.signals.filter { $0.kind != .continuation && $0.kind != .stream }
    // The places of lock calls show which classes wrap locks.
    let calls = snapshot.threads.flatMap { thread in
      thread.held.map(\.place) + [thread.wait?.place ?? []]
    }
    let sites =
      made.map { CallSite(operation: "made", users: $0.created) }
      + calls.map { CallSite(operation: "lock", users: $0) }
    let pairs = zip(made, CallSite.shown(sites)).compactMap { signal, shown in
      shown.map { (signal.id, $0) }
    }
    shown = Dictionary(pairs) { first, _ in first }
  }

  /// The frame that created an object; `nil` if unknown.
  func frame(of signal: WaitSnapshot.Signal) -> StackFrame? {
    shown[signal.id]?.place ?? PlaceText.frame(of: signal.created)
  }

  /// `Bank.swift:61  Bank.init() by LockBox.init(_:)`; `nil` if unknown.
  func place(of signal: WaitSnapshot.Signal) -> String? {
    shown[signal.id].flatMap(PlaceText.text) ?? PlaceText.place(signal.created)
  }
}
