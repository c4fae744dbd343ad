internal import Findings
internal import Interlock

extension ProcessBaseline {
  /// The most entries of each sort that are listed at the end.
  private static let mostLines = 20

  /// The lines about the baseline at the end of the process: how many known races occurred, which
  /// entries for races in memory matched none, and which entries have expired.
  func linesAtEnd() -> [String] {
    let entries = MemoryRaceLog.entries
    var run = KnownFindings.Run()
    run.isWhole = true
    for entry in entries {
      let finding = Finding(entry.race)
      run.found.insert(finding.key)
      run.matched.formUnion(known.suppressions.filter { $0.matches(finding) })
    }
    let stale =
      known.entries.filter { $0.key.rule == Rule.memoryRace.id && !run.found.contains($0.key) }
      .map { "\($0.key.text) (line \($0.line))" }
      + known.staleSuppressions(run).filter { $0.kind.hasPrefix("memory") }
      .map { "\($0.text) (line \($0.line))" }
    let shown = entries.filter { $0.knownBecause != nil }.count
    let expired = known.expired(on: today)
    let races = shown == 1 ? "race" : "races"
    var head = "interlock: \(path): \(shown) known \(races) shown and not failed"
    if !stale.isEmpty { head += ", \(stale.count) stale" }
    if !expired.isEmpty { head += ", \(expired.count) expired" }
    return [head] + lines("stale in this process", stale) + lines("expired", expired)
  }

  private func lines(_ sort: String, _ texts: [String]) -> [String] {
    texts.prefix(Self.mostLines).map { "interlock:   \(sort): \($0)" }
      + (texts.count > Self.mostLines
        ? ["interlock:   \(sort): … \(texts.count - Self.mostLines) more"] : [])
  }
}
