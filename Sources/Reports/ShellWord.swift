import Findings
import StressRunner

/// Quotes a word for a shell, on one line. For escapes it uses `$'…'`, which bash and zsh read.
package func shellWord(_ word: String) -> String {
  if escaped(word) != word {
    return "$'"
      + word.utf8.map { byte in
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\\"): "\\" + String(UnicodeScalar(byte))
        case 0x20..<0x7F: String(UnicodeScalar(byte))
        default: "\\x" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
        }
      }.joined() + "'"
  }
  let plain = word.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
      UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="):
      true
    default: false
    }
  }
  return plain && !word.isEmpty
    ? word
    : "'"
      + word.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
}
