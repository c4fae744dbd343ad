/// A key that is too long for a file's name, so that its file has the key's digest and path
/// extension.
///
/// Eight consecutive keys have the same name and different ends; the next eight have the same ends
/// after another name.
struct LongImageKey {
  /// The ends, each with the path extension that its file must have.
  private static let ends = [
    (".png", ".png"), (".jpg", ".jpg"), (".PNG", ".png"), ("", ""), (".png?size=2", ""),
    (".tar.gz", ".gz"), (".gz", ".gz"), (".longerthansixteen", ""),
  ]

  /// The key.
  let text: String
  /// The path extension of its file, with the dot; empty if the file has none.
  let fileExtension: String

  /// The long form of a workload's key, as "key-3".
  init(_ key: String) {
    let number = key.split(separator: "-").last.flatMap { Int($0) } ?? 0
    let (end, fileExtension) = Self.ends[number % Self.ends.count]
    let folders = String(repeating: "albums/", count: 30)
    text = "https://example.com/\(folders)image\(number / Self.ends.count)\(end)"
    self.fileExtension = fileExtension
  }
}
