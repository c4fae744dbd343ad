import Testing

@testable import KnownBugs

@Suite("MD5")
struct MD5Tests {
  @Test("MD5 gives the digests of RFC 1321")
  func digests() {
    let expected = [
      "": "d41d8cd98f00b204e9800998ecf8427e",
      "abc": "900150983cd24fb0d6963f7d28e17f72",
      String(repeating: "1234567890", count: 8): "57edf4a22be3c955ac49da2e2107b67a",
      // Around the end of a block.
      String(repeating: "a", count: 55): "ef1772b6dff9a122358552954ad0df65",
      String(repeating: "a", count: 56): "3b0c8ac703f828b04c6c197006d17218",
      String(repeating: "a", count: 64): "014842d480b571495a4a0363793f7367",
    ]
    for (text, digest) in expected { #expect(MD5.hexadecimal(text) == digest) }
  }
}
