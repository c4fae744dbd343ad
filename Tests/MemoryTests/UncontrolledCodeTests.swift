import Testing

@Suite("What an exploration does not control in instrumented code") struct UncontrolledCodeTests {
  @Test("is an AtomicLazyReference, and no Atomic")
  func lazyReference() throws {
    let child = try MemoryProgram("uncontrolled")
    #expect(
      child.output == "AtomicLazyReference in module MemoryTestChild (Made.object)\n",
      "\(child.errors)")
  }

  @Test("is each Mutex and Atomic while the check of memory is off")
  func switchedOff() throws {
    let child = try MemoryProgram("uncontrolled", check: "off")
    #expect(child.output.hasPrefix("Mutex in module MemoryTestChild ("), "\(child.errors)")
  }
}
