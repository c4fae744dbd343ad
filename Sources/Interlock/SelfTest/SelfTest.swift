internal import SectionTable
internal import Synchronization

/// A planted race that shows whether the tracker works: two threads, one of which begins to write
/// while the other certainly is writing. It shares only the path from begin to report with real
/// sections. The result enters neither the conflicts nor any other count.
enum SelfTest {
  /// Serialises self tests: each would count the other's overlap.
  private static let turn = Guarded(())

  static func run() throws(SectionTracking.SelfTestFailure) {
    guard SectionTracking.isCompiledIn else { throw .notCompiledIn }
    if HotSettings.current.isOff { throw .switchedOff }
    try plant()
  }

  /// Plants the race. With another key for the second thread nothing overlaps, and the test must
  /// fail.
  static func plant(secondKey: ResourceKey = .unlisted) throws(SectionTracking.SelfTestFailure) {
    let race = PlantedRace(secondKey: secondKey)
    let hasRun = turn.withLock { _ in
      Platform.runOnTwoThreads(race.first, race.second, abandon: race.abandon)
    }
    guard hasRun else { throw .noThread }
    switch (race.foundTogether, race.foundAlone) {
    case (1, 0): return
    case (1, _): throw .falseAlarm
    default: throw .missed
    }
  }

  /// The two threads. Each step waits for a step of the other thread.
  final class PlantedRace: Sendable {
    private let step = Atomic(0)
    private let together = Atomic(0)
    private let alone = Atomic(0)
    private let secondKey: ResourceKey

    init(secondKey: ResourceKey) { self.secondKey = secondKey }

    var foundTogether: Int { together.load(ordering: .relaxed) }
    var foundAlone: Int { alone.load(ordering: .relaxed) }

    @Sendable func first() {
      let open = begin(.unlisted)
      pass()
      wait(for: 2)
      end(open)
      pass()
    }

    @Sendable func second() {
      wait(for: 1)
      together.store(overlaps { end(begin(secondKey)) }, ordering: .relaxed)
      pass()
      wait(for: 3)
      alone.store(overlaps { end(begin(secondKey)) }, ordering: .relaxed)
    }

    /// Makes `first` return, whether it has begun or not.
    func abandon() { pass(steps: 2) }

    private func overlaps(in body: () -> Void) -> Int {
      // Relaxed: this thread itself does the counting.
      let before = ConflictDetection.unlistedOverlaps.load(ordering: .relaxed)
      body()
      return ConflictDetection.unlistedOverlaps.load(ordering: .relaxed) - before
    }

    private func begin(_ key: ResourceKey) -> Registry.OpenSection? {
      let name: StaticString = "interlock's own test"
      let resource = Resource(
        key: key, name: UInt(bitPattern: name.utf8Start),
        nameLength: UInt(name.utf8CodeUnitCount), number: 0)
      return Registry.begin(
        resource, writes: true, synched: false, at: Site(#fileID, #function, #line))
    }

    private func end(_ open: Registry.OpenSection?) {
      if let open { _ = Registry.end(open) }
    }

    // Releasing and acquiring: each step sees everything done before it. `step` is a sum, because
    // the race may be abandoned before its first step.
    private func pass(steps: Int = 1) { step.wrappingAdd(steps, ordering: .releasing) }
    private func wait(for wanted: Int) {
      while step.load(ordering: .acquiring) < wanted { Platform.yield() }
    }
  }
}
