import Interlock

/// The values of the options specific to `hunt`.
package struct HuntOptions: Sendable, Hashable {
  /// The package whose tests are explored; `nil` for the current folder's.
  package var package: String?
  /// The words after `--`, for `swift build` and `swift test`.
  package var words: [String] = []

  /// The words for `swift build`, without options that only `swift test` accepts.
  package var wordsOfBuild: [String] {
    var words: [String] = []
    var rest = self.words[...]
    while let word = rest.popFirst() {
      let name = word.prefix { $0 != "=" }
      if Self.flagsOfTest.contains(word) { continue }
      guard Self.optionsOfTest.contains(String(name)) else {
        words.append(word)
        continue
      }
      if name.count == word.count { _ = rest.popFirst() }
    }
    return words
  }

  private static let flagsOfTest: Set = [
    "--parallel", "--no-parallel", "--enable-testable-imports", "--disable-testable-imports",
  ]
  /// Options of `swift test` that take a value, after `=` or as the next word.
  private static let optionsOfTest: Set = [
    "--attachments-path", "--xunit-output", "--num-workers", "--skip", "--filter",
  ]

  /// Creates the default options.
  package init() {}
}

extension CommandName {
  /// The options specific to `hunt`, and those it shares with `explore`.
  static let huntOptions: [Row] = [
    (
      [.hunt],
      Option(
        "package-path", .path("folder"), replay: .leavesOut,
        "The package whose tests are explored. What follows '--' is for 'swift build' and"
          + " 'swift test', as in '-- -c release'.",
        default: "the current folder"
      ) { $1.hunt.package = $0 }
    ),
    (
      [.hunt],
      Option(
        "budget", .budget, \.budget, replay: .leavesOut,
        "How long to explore each test, as in 30s, or how many orders of it to execute, as in"
          + " 5000.",
        default: "60s")
    ),
    (
      [.hunt],
      Option(
        "seed", .whole(0...UInt64.max), \.seed, replay: .leavesOut,
        "The seed of random choices.", default: "1")
    ),
    (
      [.hunt],
      Option(
        "corpus", .path("folder"), \.corpus, replay: .leavesOut,
        "Keep failing orders in this folder, a file for each test, and try them first next time."
          + " One that passes is removed.",
        default: "INTERLOCK_EXPLORE_CORPUS, or .build/interlock-orders of the package")
    ),
    (
      [.hunt, .initialize],
      Option(
        flag: "ignore-lock", replay: .leavesOut,
        "Pass '--ignore-lock' to SwiftPM: the plug-in does, whose SwiftPM holds the lock."
      ) { $0.ignoresLock = true }
    ),
  ]
}
