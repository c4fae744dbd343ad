import InterlockTesting
import Testing

/// A test that itself explores a body.
@Suite struct STExplores {
  @Test func itself() throws { try explore {} }
}
