import Testing

extension SyncEvents {
  /// What a process that measures does, in a process of its own: there is no way back.
  @Suite("Calls that are led past the readers")
  struct BypassTests {
    @Test("are the libraries' alone, are unseen from then on, and work as before")
    func bypass() throws {
      let child = try ChildRun("bypass")
      #expect(child.status == 0, "\(child.errors)")
      // Refused while a reader follows; an NSLock was heard and is not; this executable's own call still is.
      #expect(child.words == ["true", "1", "true", "0", "1", "true"], "\(child.words)")
    }
  }
}
