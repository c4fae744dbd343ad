/// A small program with a fault, or a correct one, and what an examination must find in it.
///
/// It is written as user code: only state whose accesses are judged has marks.
package struct Program: Sendable {
  /// Runs the program on a thread outside all pools. It calls the callback once, after its end, and
  /// throws if it finds its own result wrong; a program that hangs does not return.
  package typealias Body = @Sendable (_ callback: @escaping @Sendable () -> Void) throws -> Void

  /// The name of the program, of its subject and of its scenario: lower-case words joined by
  /// hyphens.
  package let name: String
  /// The program's work, in one line.
  package let summary: String
  /// The finding that must be made in it.
  package let expected: Expected
  /// Where the fault, or the pattern, is described; `nil` if it is a common one.
  package let source: Source?
  /// How many processors the thread pools are made for; `nil` for the machine's.
  package let poolWidth: Int?
  /// The time without progress after which it counts as stalled, in seconds.
  package let stallSeconds: Double
  /// The time after which it is ended, in seconds.
  package let timeSeconds: Double
  /// Runs the program. Call it once in a process if it can hang, since a hang keeps its threads.
  package let run: Body
  /// The correct twin; an array, because a value cannot contain one of its own type.
  private let twins: [Program]

  /// The program, and its twin if it has one.
  package var both: [Program] { [self] + twins }

  /// Describes a program without a twin, or one whose twin is a row of its own.
  package init(
    _ name: String, _ summary: String, _ expected: Expected, source: Source? = nil,
    poolWidth: Int? = nil, stallSeconds: Double = 2, timeSeconds: Double = 60,
    _ run: @escaping @Sendable () throws -> Void
  ) {
    self.init(
      name, summary, expected, source: source, poolWidth: poolWidth, stallSeconds: stallSeconds,
      timeSeconds: timeSeconds, twins: [], Self.thenCallingBack(run))
  }

  /// Describes a program whose fault is in the call of the callback.
  package init(
    _ name: String, _ summary: String, _ expected: Expected, source: Source? = nil,
    callingBack run: @escaping Body
  ) {
    self.init(name, summary, expected, source: source, twins: [], run)
  }

  /// Describes a program and its correct twin; `twin` says what the twin does instead.
  package init(
    _ name: String, _ summary: String, _ expected: Expected, twin: String, source: Source? = nil,
    wrong: @escaping @Sendable () throws -> Void, right: @escaping @Sendable () throws -> Void
  ) {
    let suffix = expected == .races ? "-ordered" : "-repaired"
    let passes = expected == .races ? Expected.passes : .passesInEveryOrder
    self.init(
      name, summary, expected, source: source,
      twins: [Program(name + suffix, twin, passes, source: source, right)],
      Self.thenCallingBack(wrong))
  }

  private init(
    _ name: String, _ summary: String, _ expected: Expected, source: Source?,
    poolWidth: Int? = nil, stallSeconds: Double = 2, timeSeconds: Double = 60, twins: [Program],
    _ run: @escaping Body
  ) {
    self.name = name
    self.summary = summary
    self.expected = expected
    self.source = source
    self.poolWidth = poolWidth
    self.stallSeconds = stallSeconds
    self.timeSeconds = timeSeconds
    self.twins = twins
    self.run = run
  }

  private static func thenCallingBack(_ run: @escaping @Sendable () throws -> Void) -> Body {
    { callback in
      try run()
      callback()
    }
  }
}
