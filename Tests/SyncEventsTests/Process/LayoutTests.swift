import CInterlockEvents
import Testing

extension SyncEvents {
  /// Private layouts of the system's libraries, each simulated as a different one. All that relies
  /// on the layout is switched off, and one line says so.
  @Suite("Private layouts")
  struct LayoutTests {
    private static let line = "interlock: the layout of "
    private static let unknown = "differs from the known one"

    /// Runs a program in which a layout's check reads this many bytes beside the field.
    private static func run(
      _ program: String, _ layout: interlock_layout, shift: Int
    ) throws -> ChildRun {
      try ChildRun(
        program, options: "predict=on hang_limit=30",
        environment: ["SYNC_EVENTS_LAYOUT": "\(layout.rawValue) \(shift)"])
    }

    private static func lines(_ child: ChildRun) -> [String] {
      child.errors.split(separator: "\n").map(String.init).filter { $0.hasPrefix(line) }
    }

    @Test(
      "Private layouts all hold, without a message",
      arguments: ["under-one-lock", "on-one-queue", "behind-a-barrier-item", "forwarded-in-order"])
    func all(program: String) throws {
      let child = try ChildRun(program, options: "predict=on hang_limit=30")
      #expect(child.status == 0)
      #expect(child.words == ["done"])
      #expect(!child.errors.contains("layout"), "\(child.errors)")
      #expect(!child.errors.contains("without an order that was seen"), "\(child.errors)")
    }

    @Test("Private layouts that are first checked in the child of a fork all hold there")
    func fork() throws {
      let child = try ChildRun("layouts-in-fork")
      #expect(child.status == 0)
      #expect(child.words == ["1"])
      #expect(Self.lines(child) == [])
    }

    @Test(
      "A lost layout that all calls rely on switches them off",
      arguments: [
        (INTERLOCK_LAYOUT_ADDRESS, 8, "addresses"), (INTERLOCK_LAYOUT_MUTEX, 4, "mutexes"),
        (INTERLOCK_LAYOUT_BLOCK, 8, "work items"),
      ])
    func calls(layout: interlock_layout, shift: Int, name: String) throws {
      let child = try Self.run("behind-a-barrier-item", layout, shift: shift)
      #expect(child.status == 0)
      #expect(child.words == ["done"])
      #expect(Self.lines(child) == ["\(Self.line)\(name) \(Self.unknown): no call is seen"])
      #expect(
        child.errors.contains(
          "interlock: nothing is predicted: the layout of \(name) \(Self.unknown)"),
        "\(child.errors)")
    }

    @Test(
      "A lost layout of queues or initialisers switches prediction off, without a false race",
      arguments: [
        (INTERLOCK_LAYOUT_QUEUE, 8, "queues"),
        (INTERLOCK_LAYOUT_ONCE, 8, "initialisers that run once"),
      ])
    func predictions(layout: interlock_layout, shift: Int, name: String) throws {
      let child = try Self.run("on-one-queue", layout, shift: shift)
      #expect(child.status == 0)
      #expect(child.words == ["done"])
      let lines = Self.lines(child)
      #expect(lines.count == 1)
      #expect(lines.first?.hasPrefix("\(Self.line)\(name) \(Self.unknown): ") ?? false)
      #expect(
        child.errors.contains(
          "interlock: nothing is predicted: the layout of \(name) \(Self.unknown)"),
        "\(child.errors)")
      #expect(!child.errors.contains("potential"))
    }

    @Test("A lost layout of Dispatch's times switches off only the due times of delayed blocks")
    func moments() throws {
      let child = try Self.run("both-ways", INTERLOCK_LAYOUT_MOMENT, shift: 8)
      #expect(child.words == ["done"])
      #expect(
        Self.lines(child) == [
          "\(Self.line)times of Dispatch \(Self.unknown): when a delayed block is due is not known"
        ])
      #expect(child.errors.contains("lock-order: two locks"), "\(child.errors)")
    }

    @Test("A lost layout of root queues switches off only the order of blocks that were held back")
    func roots() throws {
      let child = try Self.run("both-ways", INTERLOCK_LAYOUT_ROOT, shift: 8)
      #expect(child.words == ["done"])
      #expect(
        Self.lines(child) == [
          "\(Self.line)root queues \(Self.unknown): the order of blocks that a queue has held back"
            + " is not known"
        ])
      #expect(child.errors.contains("lock-order: two locks"), "\(child.errors)")
    }

    @Test(
      "A hang is judged without lost layouts of initialisers and of Dispatch's times",
      arguments: [
        ("initialiser", INTERLOCK_LAYOUT_ONCE, "waits for the initialiser of"),
        ("delayed-for-days", INTERLOCK_LAYOUT_MOMENT, "this process is deadlocked"),
      ])
    func hangs(program: String, layout: interlock_layout, part: String) throws {
      let known = try ChildRun(program, "1", limit: 25)
      #expect(known.status == 86, "\(known.errors)")
      #expect(known.errors.contains(part), "\(known.errors)")
      let lost = try ChildRun(
        program, "1", environment: ["SYNC_EVENTS_LAYOUT": "\(layout.rawValue) 8"], limit: 25)
      #expect(lost.status == 86, "\(lost.errors)")
      #expect(Self.lines(lost).count == 1)
      #expect(!lost.errors.contains(part), "\(lost.errors)")
    }

    @Test("A lost layout of asynchronous calls switches off the order of sections; tasks continue")
    func contexts() throws {
      let child = try Self.run("forwarded-in-order", INTERLOCK_LAYOUT_CONTEXT, shift: -8)
      #expect(child.status == 0)
      #expect(child.words == ["done"])
      #expect(
        Self.lines(child) == [
          "\(Self.line)asynchronous calls \(Self.unknown): awaits are not seen, and the order of"
            + " sections is unknown"
        ])
      #expect(
        child.errors.contains(
          "the order of sections is unknown from some point on: the layout of"
            + " asynchronous calls"),
        "\(child.errors)")
      #expect(!child.errors.contains("without an order that was seen"))
    }

    @Test("Sets of the same elements have one order on request, unless the layout is lost")
    func hashTables() throws {
      let known = try ChildRun("hash-tables")
      #expect(known.status == 0)
      #expect(known.words[1...3] == ["1", "false", "true"])
      let lost = try Self.run("hash-tables", INTERLOCK_LAYOUT_HASH_TABLE, shift: -8)
      #expect(lost.status == 0)
      #expect(
        Self.lines(lost) == [
          "\(Self.line)hash tables \(Self.unknown): dictionaries have another order in each"
            + " execution"
        ])
      // The last count is taken after the request ends. Of 40,320 orders, eight are not all equal.
      for count in [known.words[0], known.words[4], lost.words[0], lost.words[1]] {
        #expect(count != "1")
      }
    }

    @Test("A lost layout of tasks leaves a task ordered after everything at each await")
    func tasks() throws {
      let child = try Self.run("forwarded-in-order", INTERLOCK_LAYOUT_TASK, shift: 8)
      #expect(child.status == 0)
      #expect(child.words == ["done"])
      #expect(
        Self.lines(child) == [
          "\(Self.line)tasks \(Self.unknown): a task comes after everything so far at each await"
        ])
      #expect(!child.errors.contains("without an order that was seen"))
    }
  }
}
