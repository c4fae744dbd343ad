import Interlock
import ProcessInspection
import Hangs

/// Where the objects of a snapshot were made: outside of the classes that wrap locks, and of the
/// functions that make locks for others.
struct CreationSites {
  private let shown: [WaitIndex.ObjectID: CallSite.Shown]

  init(_ snapshot: WaitSnapshot) {
    // A task that waits was not made at the place, which is that of its wait.
    let made = snapshot.signals.filter { $0.kind != .continuation && $0.kind != .stream }
    // The functions that lock show which classes wrap locks.
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

  /// The frame that made an object; `nil` if none is known.
  func frame(of signal: WaitSnapshot.Signal) -> StackFrame? {
    shown[signal.id]?.place ?? PlaceText.frame(of: signal.created)
  }

  /// `Bank.swift:61  Bank.init() by LockBox.init(_:)`; `nil` if nothing is known.
  func place(of signal: WaitSnapshot.Signal) -> String? {
    shown[signal.id].flatMap(PlaceText.text) ?? PlaceText.place(signal.created)
  }
}
