import Testing

extension SyncEvents {
  /// Calls that a process redirects past the readers while it measures.
  @Suite("Calls redirected past the readers")
  struct BypassTests {
    @Test("Redirected calls are the libraries' own and unseen until restored, and work as before")
    func bypass() throws {
      let child = try ChildRun("bypass")
      #expect(child.status == 0, "\(child.errors)")
      // A bypass is refused while a reader is active. In the bypass an NSLock is unseen, and a call
      // of the executable itself is seen. After the restoration the NSLock is seen again.
      let expected = ["true", "1", "true", "0", "1", "true", "true", "1", "true"]
      #expect(child.words == expected, "\(child.words)")
    }
  }
}
