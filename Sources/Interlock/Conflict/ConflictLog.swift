internal import CInterlock
internal import Synchronization

/// Two sections that overlapped, before anything of it is put into words.
struct Meeting: Sendable {
  var resource: String
  var instance: String?
  var first: Evidence
  var second: Evidence

  /// What makes two meetings the same finding: the resource, and the two places in either order.
  struct Finding: Hashable {
    var resource: String
    var instance: String?
    var places: Set<PlaceAndMode>
  }

  struct PlaceAndMode: Hashable {
    var place: Place
    var mode: Mode
    /// Where the place is the declaration of a `@Tracked` property, the access itself.
    var address: UInt?

    init(_ evidence: Evidence) {
      place = evidence.place
      mode = evidence.mode
      address = evidence.placeFromStack ? evidence.addresses.dropFirst(2).first : nil
    }
  }

  var finding: Finding {
    Finding(
      resource: resource, instance: instance,
      places: [PlaceAndMode(first), PlaceAndMode(second)])
  }

  /// The two sections themselves: both of them may have seen this one meeting.
  var sections: Set<Evidence.Identity> { [first.identity, second.identity] }

  /// What a `@Tracked` property without a name of its own is called.
  private var propertyName: String {
    first.property ?? second.property
      ?? "property declared at \(first.place.file):\(first.place.line)"
  }

  func conflict(count: Int) -> Conflict {
    var conflict = Conflict(
      resource: resource.isEmpty ? propertyName : resource, first: first.side(),
      second: second.side(), count: count)
    conflict.instance = instance
    return conflict
  }
}

/// The conflicts of this process, and what happens when one is found.
final class ConflictLog: Sendable {
  static let shared = ConflictLog()

  private struct Entry {
    var meeting: Meeting
    var count: Int
    var lastSections: Set<Evidence.Identity>
    /// The meeting in words, once somebody has asked for it.
    var inWords: Conflict?
  }

  private struct State {
    var order: [Meeting.Finding] = []
    var entries: [Meeting.Finding: Entry] = [:]
  }

  private let state = Guarded(State())
  private let isTrapping = Atomic(false)

  func add(_ meeting: Meeting) {
    let finding = meeting.finding
    let isNew = state.withLock { state in
      if var entry = state.entries[finding] {
        if entry.lastSections != meeting.sections { entry.count += 1 }
        entry.lastSections = meeting.sections
        state.entries[finding] = entry
        return false
      }
      state.order.append(finding)
      state.entries[finding] = Entry(
        meeting: meeting, count: 1, lastSections: meeting.sections)
      return true
    }
    switch Settings.shared.onConflict {
    case .trap:
      // Relaxed: it only decides who reports; the others are stopped here, before their bodies run.
      if isTrapping.exchange(true, ordering: .relaxed) {
        while true { Platform.pause(microseconds: 1_000_000) }
      }
      writeError(meeting.conflict(count: 1).description + "\n")
      interlock_trap()
    case .log:
      if isNew { writeError(meeting.conflict(count: 1).description + "\n") }
    case .record:
      break
    case .handler(let handler):
      if isNew { handler(meeting.conflict(count: 1)) }
    }
  }

  /// How many findings there are.
  var count: Int { state.withLock { $0.order.count } }

  /// The findings in the order they were made; stacks become functions and lines here.
  var conflicts: [Conflict] {
    state.withLock { state in
      state.order.compactMap { finding in
        guard let entry = state.entries[finding] else { return nil }
        var conflict = entry.inWords ?? entry.meeting.conflict(count: entry.count)
        conflict.count = entry.count
        state.entries[finding]?.inWords = conflict
        return conflict
      }
    }
  }

  func removeAll() { state.withLock { $0 = State() } }
}

/// Writes to standard error, all of it, without a buffer that a trap would lose.
func writeError(_ text: String) {
  var text = text
  text.withUTF8 { bytes in
    bytes.withMemoryRebound(to: CChar.self) { characters in
      if let base = characters.baseAddress { interlock_write_error(base, characters.count) }
    }
  }
}
