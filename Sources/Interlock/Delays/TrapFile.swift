internal import SectionTable

/// A place as the trap file stores it: the text of its file, its line, and whether the section
/// writes.
struct TrapPlace: Hashable {
  var file: String
  var line: Int
  var writes: Bool

  /// `write Cache.swift:12`
  var text: String { "\(writes ? "write" : "read") \(file):\(line)" }

  /// An FNV-1a hash of 64 bits, equal in every process.
  var hash: UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }
}

/// Pairs of places with their states, which a run leaves for the next run.
///
/// A text file. The first line has the format's version and the build, since lines move between
/// builds. Each further line is a pair, in tab-separated fields:
///
///     interlock-traps 1 2816120-1764000000.123456789
///     armed<tab>write Cache.swift:12<tab>read Cache.swift:31<tab>
///
/// The state is `armed`, `dropped` or `found`. The last field is the pair's scope. It is empty
/// except in a stress run, where it is the subject's name: two subjects may share a place although
/// only one of them has a lock.
struct TrapFile: Equatable {
  struct Pair: Hashable {
    var first: TrapPlace
    var second: TrapPlace
    var scope: String

    /// Stores the two places in a fixed order.
    init(_ one: TrapPlace, _ other: TrapPlace, scope: String) {
      (first, second) = one.text < other.text ? (one, other) : (other, one)
      self.scope = scope
    }

    /// True if a line of the file can represent the pair.
    var canBeWritten: Bool {
      [first.file, second.file, scope].allSatisfy { text in
        !text.unicodeScalars.contains { $0 == "\t" || $0 == "\n" || $0 == "\r" }
      }
    }
  }

  /// Why a text cannot be used.
  enum Problem: Error, Equatable {
    case foreign
    case otherVersion(String)
    case otherBuild
    case broken(line: Int)

    /// For a warning of the form `'traps' <this>`.
    var text: String {
      switch self {
      case .foreign: "is not a trap file"
      case .otherVersion(let version): "has format version \(version), and this is version 1"
      case .otherBuild: "is of another build"
      case .broken(let line): "is broken in line \(line)"
      }
    }
  }

  /// The largest file that is read: 2,048 pairs of places with names of 8,000 bytes.
  static let mostBytes = 32 << 20
  private static let title = "interlock-traps"
  private static let version = "1"

  var build: String
  var pairs: [Pair: PairState] = [:]

  /// Adds the findings of another run. An overlap takes precedence over an order, and an order over
  /// a near miss.
  mutating func merge(_ other: TrapFile) {
    pairs.merge(other.pairs) { $0.rawValue > $1.rawValue ? $0 : $1 }
  }

  /// The text of the file. Equal pairs give equal text.
  var text: String {
    let lines = pairs.filter(\.key.canBeWritten).map { pair, state in
      "\(state)\t\(pair.first.text)\t\(pair.second.text)\t\(pair.scope)\n"
    }
    return "\(Self.title) \(Self.version) \(build)\n" + lines.sorted().joined()
  }

  /// Parses a text that a run of this build has written.
  static func parse(_ text: String, build: String) -> Result<TrapFile, Problem> {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    guard let heading = lines.popFirst()?.split(separator: " "), heading.first == title[...],
      heading.count >= 2
    else { return .failure(.foreign) }
    guard heading[1] == version else {
      return .failure(.otherVersion(String(heading[1].prefix(20))))
    }
    guard heading.count == 3, heading[2] == build else { return .failure(.otherBuild) }
    // A complete text ends with a line break.
    guard lines.popLast() == "" else { return .failure(.broken(line: lines.endIndex + 1)) }
    var file = TrapFile(build: build)
    for (index, line) in lines.enumerated() {
      guard let (pair, state) = self.pair(line) else { return .failure(.broken(line: index + 2)) }
      file.pairs[pair] = state
    }
    return .success(file)
  }

  private static func pair(_ line: Substring) -> (Pair, PairState)? {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count == 4, let state = PairState(text: fields[0]),
      let first = TrapPlace(fields[1]), let second = TrapPlace(fields[2]),
      first.writes || second.writes
    else { return nil }
    return (Pair(first, second, scope: String(fields[3])), state)
  }
}

extension TrapPlace {
  fileprivate init?(_ text: Substring) {
    guard let blank = text.firstIndex(of: " "), let colon = text.lastIndex(of: ":"),
      blank < colon, let line = UInt32(text[text.index(after: colon)...])
    else { return nil }
    let mode = text[..<blank]
    guard mode == "read" || mode == "write" else { return nil }
    let file = text[text.index(after: blank)..<colon]
    if file.isEmpty { return nil }
    self.init(file: String(file), line: Int(line), writes: mode == "write")
  }
}

extension PairState {
  fileprivate init?(text: Substring) {
    switch text {
    case "armed": self = .armed
    case "dropped": self = .dropped
    case "found": self = .found
    default: return nil
    }
  }
}
