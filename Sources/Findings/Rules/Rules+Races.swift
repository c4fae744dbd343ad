extension Rule {
  /// Sections that overlap or are misused.
  static let races: [Rule] = [.race, .memoryRace, .unmarkedChange, .sectionMisuse]

  /// Two sections that conflict.
  package static let race = Rule(
    "race", "Two owners are in sections on one resource at once, and at least one of them writes.",
    meaning: """
      Both owners (threads or tasks) were between begin and end of a section on the same resource. \
      Nothing kept them apart, so a reader can see a half-made change, and two writers can lose \
      one. The overlap occurred, or an explored order showed that nothing prevents it; it is no \
      estimate.
      """,
    example: """
      func touch(_ key: Key) {            // thread 2: write
        entries[key]?.uses += 1           // no lock is held here
      }
      func value(_ key: Key) -> Value? {  // thread 1: read, at the same time
        lock.withLock { entries[key]?.value }
      }
      """,
    remedy: """
      Hold the same lock in both sections, or confine the resource to one actor or serial queue. \
      If both sides say that they are synched, they hold different locks. If the overlap is meant \
      (a snapshot, an atomic), mark the parts as resources of their own.
      """)

  /// Two memory accesses without an order.
  package static let memoryRace = Rule(
    "memory-race", "Nothing orders two accesses of the same memory, and at least one writes.",
    meaning: """
      The compiler's calls before each access were compared with every lock, queue, task and \
      atomic operation of the run: none of them puts one access before the other. Whether they \
      overlapped in time does not matter: another run, or another processor, can make them \
      overlap. A mutation in place counts as a write of 1 byte, where it begins.
      """,
    example: """
      func rename(_ id: Int, to name: String) { lock.withLock { names[id] = name } }
      func name(of id: Int) -> String? { names[id] }   // the lock is missing here
      """,
    remedy: """
      Hold one lock in both, confine the memory to one actor or serial queue, or use an atomic \
      that releases in one and acquires in the other. A race that is not decided is decided once \
      the code that it names is compiled with the option as well. What is known and accepted goes \
      into a baseline, by kind, function, file or type.
      """)

  /// A value that unmarked code changed.
  package static let unmarkedChange = Rule(
    "unmarked-change",
    "A value changed during a section that reads it, and no marked code wrote it.",
    meaning: """
      A section with a witness found another value at its end than at its begin. No marked writer \
      was in a section meanwhile, so code without a mark, or another process, writes the resource.
      """,
    example: """
      section.read(witness: { entries.count }) {
        …            // entries.count was 3 at the begin, and is 4 at the end
      }
      """,
    remedy: """
      Find the writer: search for every use of the resource, and mark it. Then the next run names \
      both sides. Protect the write with the lock that the readers hold.
      """)

  /// A begin and an end that do not match.
  package static let sectionMisuse = Rule(
    "section-misuse", "The marks of a section do not match: an end without a begin, or two ends.",
    meaning: """
      A section ended that was not open, ended twice, or ended on another thread than the one that \
      owns it. The tracker's state stays correct, but the marks do not show what the code does.
      """,
    example: """
      section.beginWrite()
      if full { return }   // the section stays open here
      section.endWrite()
      """,
    remedy: "Use the closures (`read { }`, `write { }`), or end the section in a `defer`.")
}
