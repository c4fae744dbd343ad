package import Interlock

extension Finding {
  /// Describes a memory race, at the second access. An undecided race does not fail the run.
  package init(_ race: MemoryRace) {
    self.init(
      .memoryRace, level: race.isDecided ? nil : .warning, message: race.sentence)
    sides = [Side("second", race.second), Side("first", race.first)].compactMap(\.self)
    details =
      [race.meaning] + (race.variable.map { ["Accessed: \($0)"] } ?? [])
      + race.first.lockLines.map { "The first " + $0 }
      + race.second.lockLines.map { "The second " + $0 }
    steps = [Step(race.first), Step(race.second)]
  }
}

extension Finding.Side {
  /// Describes one access; `nil` if its place is unknown.
  fileprivate init?(_ title: String, _ side: MemoryRace.Side) {
    guard side.place.address != 0 || side.place.function != nil || side.place.hasLine else {
      return nil
    }
    self.init(
      title: "\(title): \(side.access), \(side.owner)", place: side.place, stack: side.stack)
  }
}

extension Finding.Step {
  fileprivate init(_ side: MemoryRace.Side) {
    self.init(party: side.runner, text: side.access, place: side.place)
  }
}
