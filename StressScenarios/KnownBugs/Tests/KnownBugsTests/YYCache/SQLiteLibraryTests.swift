import Foundation
import Testing

@testable import KnownBugs

@Suite("SQLite")
struct SQLiteLibraryTests {
  @Test("SQLite is not found in a file that is no library, or another library")
  func missing() {
    #expect(SQLiteLibrary(anyOf: []) == nil)
    #expect(SQLiteLibrary(anyOf: ["no-such-library.so", "/etc/hostname"]) == nil)
    // A library without SQLite's functions.
    #expect(SQLiteLibrary(anyOf: ["libc.so.6", "/usr/lib/libSystem.dylib"]) == nil)
  }

  @Test("SQLite is missing, with what to install, if the environment names none")
  func missingByEnvironment() async {
    await #expect(processExitsWith: .success) {
      setenv("INTERLOCK_SQLITE", "/no/such/library.so", 1)
      precondition(SQLiteLibrary.missing?.hasPrefix("needs SQLite: install ") == true)
    }
  }
}
