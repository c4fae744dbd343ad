import InterlockTesting
import Testing

/// A test that explores a body of its own.
@Suite struct STExplores {
  @Test func itself() throws { try explore {} }
}
