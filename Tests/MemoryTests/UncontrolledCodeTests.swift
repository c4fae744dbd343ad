import Testing

@Suite("What an exploration does not control in instrumented code") struct UncontrolledCodeTests {
  @Test("an exploration does not control an AtomicLazyReference, and controls an Atomic")
  func lazyReference() throws {
    let child = try MemoryProgram("uncontrolled")
    #expect(
      child.output == "AtomicLazyReference in module MemoryTestChild (Made.object)\n",
      "\(child.errors)")
  }

  @Test("an exploration controls neither Mutex nor Atomic while the check of memory is off")
  func switchedOff() throws {
    let child = try MemoryProgram("uncontrolled", check: "off")
    #expect(child.output.hasPrefix("Mutex in module MemoryTestChild ("), "\(child.errors)")
  }
}
