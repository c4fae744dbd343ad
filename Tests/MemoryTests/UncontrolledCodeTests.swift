import Testing

@Suite("What an exploration does not control in instrumented code") struct UncontrolledCodeTests {
  @Test("is an AtomicLazyReference, and no Atomic")
  func lazyReference() throws {
    let child = try MemoryProgram("uncontrolled")
    #expect(child.output == "AtomicLazyReference in module MemoryTestChild\n", "\(child.errors)")
  }
}
