/// Names a file by its key, as the originals do by MD5: a stand-in without its strength.
enum KeyDigest {
  /// Returns 32 hexadecimal digits: FNV-1a of the UTF-8, from two starts.
  static func hexadecimal(_ key: String) -> String {
    [0xcbf2_9ce4_8422_2325, 0x9ae1_6a3b_2f90_404f].map { (start: UInt64) in
      let hash = key.utf8.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      let digits = String(hash, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
