import Testing

extension SyncEvents {
  /// What a process that measures does, in a process of its own.
  @Suite("Calls that are led past the readers")
  struct BypassTests {
    @Test("are the libraries' alone, are unseen until they are led back, and work as before")
    func bypass() throws {
      let child = try ChildRun("bypass")
      #expect(child.status == 0, "\(child.errors)")
      // Refused while a reader follows; an NSLock was heard and is not; this executable's own call
      // still is; led back, the NSLock is heard again.
      let expected = ["true", "1", "true", "0", "1", "true", "true", "1", "true"]
      #expect(child.words == expected, "\(child.words)")
    }
  }
}
