import Testing

/// The lock orders of a `Mutex` in an object: instrumented code shows each of its locks, and the
/// check of memory sees the end of the object.
@Suite("Orders of a Mutex in an object", .serialized) struct MutexOrderTests {
  @Test(
    "Two orders of the locks of two objects are predicted, and nothing else",
    arguments: MemoryProgram.names.filter { $0.hasSuffix(".inverted") })
  func predictsInversion(_ name: String) throws {
    let run = try MemoryProgram(name)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.predictions.count == 1, "\(run.output)")
    #expect(run.predictions.allSatisfy { $0.hasPrefix("lock-order: ") }, "\(run.output)")
    #expect(run.notes.isEmpty, "\(run.output)")
  }

  @Test(
    "An address of two locks in turn has no lock order, and neither has a lock on a stack",
    arguments: MemoryProgram.names.filter { $0.hasSuffix(".consistent") })
  func predictsNoOrderOfTwoLocks(_ name: String) throws {
    let run = try MemoryProgram(name)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.hasSuffix("done\n"))
    #expect(run.predictions.isEmpty, "\(run.output)")
  }

  @Test("There are programs with two lock orders, and programs with one")
  func counts() {
    #expect(MemoryProgram.names.count { $0.hasSuffix(".inverted") } >= 8)
    #expect(MemoryProgram.names.count { $0.hasSuffix(".consistent") } >= 9)
  }
}
