internal import CMarks
internal import SectionTable
internal import Synchronization

/// Two sections that overlapped, before they are described.
struct Overlap: Sendable {
  var resource: String
  var instance: String?
  var first: Evidence
  var second: Evidence
  /// The delay that held the first section open; `nil` for none.
  var heldOpen: Conflict.HeldOpen?
  /// The changed value under the first section, if there is no second section.
  var witness: Conflict.Witness?

  /// The identity of a finding: the resource, and the two places in either order.
  struct Identity: Hashable {
    var resource: String
    var instance: String?
    var places: Set<PlaceAndMode>
  }

  struct PlaceAndMode: Hashable {
    var place: Place
    var mode: Mode
    var caller: UInt

    init(_ evidence: Evidence) {
      place = evidence.place
      mode = evidence.mode
      caller = evidence.rawPlace.caller
    }
  }

  var identity: Identity {
    Identity(
      resource: resource, instance: instance,
      places: [PlaceAndMode(first), PlaceAndMode(second)])
  }

  /// The finding without its instance.
  var anyInstances: Identity {
    var identity = identity
    identity.instance = nil
    return identity
  }

  /// The overlap with the current names of the two threads.
  func withThreadNames() -> Overlap {
    var overlap = self
    overlap.first.threadName = Platform.threadName(first.thread)
    overlap.second.threadName = Platform.threadName(second.thread)
    return overlap
  }

  /// The two sections. Each of them may have detected this overlap.
  var sections: Set<Evidence.Identity> { [first.identity, second.identity] }

  func conflict(count: Int) -> Conflict {
    // The resource is empty for a `@Tracked` property without a name.
    let name = resource.isEmpty ? first.property ?? second.property : resource
    let file = "property at \(first.place.file)"
    var conflict = Conflict(
      resource: name ?? "\(file):\(first.place.line)", first: first.side(),
      second: second.side(), count: count)
    if name == nil { conflict.fileOfProperty = file }
    conflict.instance = instance
    conflict.heldOpen = heldOpen
    conflict.witness = witness
    return conflict
  }
}

/// The conflicts of this process, and the action on each. Memory for them is bounded.
final class ConflictLog: Sendable {
  /// The most resources on which one pair of places is a finding of its own. All further ones are
  /// one finding.
  static let mostOfPlaces = 1_000
  static let shared = ConflictLog()

  fileprivate struct Entry {
    var overlap: Overlap
    var count: Int
    var lastSections: Set<Evidence.Identity>
    /// True if the places have overlapped on several instances.
    var isOnSeveral = false
    /// The described conflict; `nil` before the first reading.
    var inWords: Conflict?
    /// True if the report was written to standard error; true if the exit code must show the
    /// conflict.
    var isLogged = false
    var isUnhandled = false
  }

  fileprivate struct State {
    var order: [Overlap.Identity] = []
    var entries: [Overlap.Identity: Entry] = [:]
    /// The number of findings at each pair of places.
    var counts: [Set<Overlap.PlaceAndMode>: Int] = [:]

    /// The finding that an overlap belongs to. `merged`: one finding for all instances of a name.
    func finding(of overlap: Overlap, merged: Bool) -> Overlap.Identity {
      var finding = merged ? overlap.anyInstances : overlap.identity
      if entries[finding] == nil, counts[finding.places, default: 0] >= ConflictLog.mostOfPlaces {
        // Instances and names may be endless, but the places of a program are not.
        finding.resource = ""
        finding.instance = nil
      }
      return finding
    }

    mutating func conflict(_ finding: Overlap.Identity) -> Conflict? {
      guard let entry = entries[finding] else { return nil }
      var conflict = entry.inWords ?? entry.overlap.conflict(count: entry.count)
      conflict.count = entry.count
      entries[finding]?.inWords = conflict
      return conflict
    }
  }

  private let state = Guarded(State())
  private let stopping = Guarded<(@Sendable (() -> Conflict) -> Never)?>(nil)
  private let isStopping = Atomic(false)
  fileprivate let beforeTrap = Guarded<(@Sendable () -> Void)?>(nil)

  /// From now on, passes the process's first conflict to `report`, and lets no thread continue past
  /// a conflict. `report` receives a function, because symbolicating the conflict's stacks takes
  /// time.
  func stop(with report: @escaping @Sendable (() -> Conflict) -> Never) {
    stopping.withLock { $0 = report }
  }

  /// True if a thread is being stopped at its conflict.
  var isStoppingNow: Bool {
    // Relaxed: the exchange stops a thread that misses the flag.
    isStopping.load(ordering: .relaxed)
  }

  /// Blocks a thread that detects a conflict, or wants to end the process, while another thread is
  /// being stopped at its conflict.
  func waitIfStopping() {
    if isStoppingNow { Self.waitForTheEnd() }
  }

  private func becomeTheOneThatStops() {
    // Relaxed: the flag only decides which thread reports.
    if isStopping.exchange(true, ordering: .relaxed) { Self.waitForTheEnd() }
  }

  private static func waitForTheEnd() -> Never {
    while true { Platform.pause(microseconds: 1_000_000) }
  }

  func add(_ overlap: Overlap, times: Int = 1) {
    if ExploredRaces.add(overlap) || ConflictScopes.receive(overlap) { return }
    if let report = stopping.withLock({ $0 }) {
      becomeTheOneThatStops()
      let named = overlap.withThreadNames()
      report { named.conflict(count: 1) }
    }
    let action = Settings.shared.onConflict
    let (finding, isNew) = state.withLock { state in
      // A person reads a log: three hundred objects with one fault are one finding.
      let finding = state.finding(of: overlap, merged: action.leavesUnhandled)
      defer { state.entries[finding]?.note(action) }
      if var entry = state.entries[finding] {
        if times > 1 || entry.lastSections != overlap.sections { entry.count += times }
        entry.lastSections = overlap.sections
        if entry.overlap.instance != overlap.instance { entry.isOnSeveral = true }
        state.entries[finding] = entry
        return (finding, false)
      }
      state.order.append(finding)
      state.counts[finding.places, default: 0] += 1
      state.entries[finding] = Entry(
        overlap: overlap, count: times, lastSections: overlap.sections)
      return (finding, true)
    }
    // A trap stops every thread, at a known conflict too.
    guard isNew || action.stops else { return }
    // Read the names while both threads live. The rest can wait until the report.
    let overlap = overlap.withThreadNames()
    state.withLock { $0.entries[finding]?.overlap = overlap }
    switch action {
    case .trap:
      becomeTheOneThatStops()
      writeError(overlap.headline + "\n")
      writeError(overlap.conflict(count: 1).description + "\n")
      beforeTrap.withLock { $0 }?()
      interlock_trap()
    case .log:
      writeError(overlap.headline + "\n")
      writeError(overlap.conflict(count: times).description + "\n")
    case .record:
      break
    case .handler(let handler):
      handler(overlap.conflict(count: times))
    }
  }

  /// One line for each conflict that was only logged or recorded, and a line that says where to
  /// read the rest; empty if there is none.
  func linesAtEnd(exitCode: Int) -> [String] {
    state.withLock { state in
      let unhandled = state.order.filter { state.entries[$0]?.isUnhandled == true }
      guard !unhandled.isEmpty else { return [] }
      var lines = unhandled.prefix(Self.mostLinesAtEnd).compactMap { finding -> String? in
        guard let entry = state.entries[finding] else { return nil }
        // Only the stacks show which lines access a property.
        let isProperty = entry.overlap.second.placeFromStack
        let line = isProperty ? state.conflict(finding)?.headline : entry.overlap.headline
        return line.map { $0 + entry.countAtEnd }
      }
      let count = unhandled.count
      if count > lines.count { lines.append("… and \(count - lines.count) more conflicts") }
      let areLogged = unhandled.allSatisfy { state.entries[$0]?.isLogged == true }
      let what =
        "\(count) conflict\(count == 1 ? " was" : "s were") "
        + (areLogged
          ? "logged; both sides of each are in its report above"
          : "recorded; both sides with their stacks are in SectionTracking.conflicts,"
            + " or in the log with on_conflict=log")
      return lines + ["interlock: the exit code is \(exitCode): \(what)"]
    }
  }

  private static let mostLinesAtEnd = 20

  /// The findings in the order of detection. The stacks are symbolicated here.
  var conflicts: [Conflict] {
    state.withLock { state in state.order.compactMap { state.conflict($0) } }
  }

  /// The identities of the findings, in the order of detection.
  var findings: [Overlap.Identity] { state.withLock { $0.order } }

  func removeAll() { state.withLock { $0 = State() } }
}

extension SectionTracking {
  /// Sets a function that runs after a conflict is reported and before it traps, on the trapping
  /// thread.
  package static func beforeTrap(_ body: @escaping @Sendable () -> Void) {
    ConflictLog.shared.beforeTrap.withLock { $0 = body }
  }

  /// Runs the function set by `beforeTrap`, before a trap for another reason than a conflict.
  package static func runBeforeTrap() { ConflictLog.shared.beforeTrap.withLock { $0 }?() }
}

extension ConflictLog.Entry {
  /// The count after the line at exit; empty if it is 1.
  fileprivate var countAtEnd: String {
    count > 1 ? " (\(count) times\(isOnSeveral ? ", also on other instances" : ""))" : ""
  }

  /// Records the effect of the action on the conflict.
  fileprivate mutating func note(_ action: SectionTracking.ConflictAction) {
    if action.leavesUnhandled { isUnhandled = true }
    if case .log = action { isLogged = true }
  }
}

/// Writes a text to standard error without a buffer, which a trap would lose.
func writeError(_ text: String) {
  var text = text
  text.withUTF8 { bytes in
    bytes.withMemoryRebound(to: CChar.self) { characters in
      if let base = characters.baseAddress { interlock_write_error(base, characters.count) }
    }
  }
}
