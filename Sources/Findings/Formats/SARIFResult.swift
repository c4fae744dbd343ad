import Interlock

/// A finding as a SARIF result.
struct SARIFResult {
  /// The name of the repository's root in file URIs.
  static let root = "%SRCROOT%"
  /// The version of `Finding.Key`: fingerprints of different versions cannot be compared.
  private static let fingerprint = "interlock/v1"

  private let finding: Finding
  private let rule: Int
  private let context: FindingFormat.Context

  /// Creates a result; `rule` is the index of the finding's rule in the log.
  init(_ finding: Finding, rule: Int, _ context: FindingFormat.Context) {
    self.finding = finding
    self.rule = rule
    self.context = context
  }

  /// The result as JSON, without members that have no value.
  var value: JSONValue {
    var members: [(String, JSONValue)] = [
      ("ruleId", .string(finding.rule.id)),
      ("ruleIndex", .number(rule)),
      ("level", .string(finding.level.rawValue)),
      ("message", message),
      ("locations", .array(primary.map { [$0] } ?? [])),
    ]
    func add(_ key: String, _ values: [JSONValue]) {
      if !values.isEmpty { members.append((key, .array(values))) }
    }
    add("relatedLocations", related)
    add("stacks", finding.sides.filter { !$0.stack.isEmpty }.map(stack))
    add("codeFlows", codeFlows)
    members.append(
      ("partialFingerprints", object([(Self.fingerprint, .string(finding.key.fingerprint))])))
    if finding.count > 1 { members.append(("occurrenceCount", .number(finding.count))) }
    if context.hasBaseline {
      members.append(
        ("baselineState", .string(finding.knownBecause == nil ? "new" : "unchanged")))
    }
    add("suppressions", suppressions)
    members.append(("properties", properties))
    return object(members)
  }

  private func object(_ members: [(String, JSONValue)]) -> JSONValue {
    JSONValue(.object(members.map { .init(key: $0.0, value: $0.1) }))
  }

  // MARK: Texts

  /// The message, with a link to each side except the first.
  private var message: JSONValue {
    var text = Self.plain(finding.headline)
    let others = finding.sides.dropFirst().enumerated().map { index, side in
      "[\(Self.linkText(Self.plain(side.title)))](\(index + 1))"
    }
    if !others.isEmpty { text += "; see " + others.joined(separator: ", ") }
    for line in finding.details { text += "\n" + Self.plain(line) }
    return .object(["text": .string(text)])
  }

  /// Prevents a viewer from finding a link in a text: `[…](…)` would be one.
  private static func plain(_ text: String) -> String { text.replacing("](", with: "] (") }

  private static func linkText(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("[", with: "\\[").replacing("]", with: "\\]")
  }

  private static func text(_ text: String) -> JSONValue {
    .object(["text": .string(plain(text))])
  }

  private var suppressions: [JSONValue] {
    guard let reason = finding.knownBecause else { return [] }
    return [
      .object([
        "kind": .string("external"), "status": .string("accepted"),
        "justification": .string(reason),
      ])
    ]
  }

  private var properties: JSONValue {
    var members: [(String, JSONValue)] = []
    func add(_ key: String, _ value: String?) {
      if let value { members.append((key, .string(value))) }
    }
    add("resource", finding.resource)
    add("scenario", finding.origin?.group)
    add("subject", finding.origin?.name)
    // Write the seed as text: many readers do not keep a 64-bit number exactly.
    add("seed", finding.origin?.seed.map { "\($0)" })
    add("frequency", finding.frequency)
    add("replay", finding.origin?.replay)
    return object(members)
  }

  // MARK: Places

  private var primary: JSONValue? {
    if let location = finding.location(in: context.repository) {
      return self.location(location, function: finding.place?.function)
    }
    return finding.place.map { self.location($0) }
  }

  private var related: [JSONValue] {
    finding.sides.dropFirst().enumerated().map { index, side in
      location(side.place, message: side.title, id: index + 1)
    }
  }

  private func location(
    _ frame: StackFrame, message: String? = nil, id: Int? = nil
  ) -> JSONValue {
    location(
      context.repository.location(of: frame), function: frame.function, message: message, id: id)
  }

  private func location(
    _ place: Repository.Location?, function: String?, message: String? = nil, id: Int? = nil
  ) -> JSONValue {
    var members: [(String, JSONValue)] = []
    if let id { members.append(("id", .number(id))) }
    if let place {
      var physical: [(String, JSONValue)] = [("artifactLocation", artifact(place))]
      if let line = place.line {
        physical.append(("region", .object(["startLine": .number(line)])))
      }
      members.append(("physicalLocation", object(physical)))
    }
    if let function {
      let name = JSONValue.object([
        "fullyQualifiedName": .string(function), "kind": .string("function"),
      ])
      members.append(("logicalLocations", .array([name])))
    }
    if let message { members.append(("message", Self.text(message))) }
    return object(members)
  }

  private func artifact(_ place: Repository.Location) -> JSONValue {
    let path = Self.percentEncoded(place.path)
    if place.isInside {
      return .object(["uri": .string(path), "uriBaseId": .string(Self.root)])
    }
    return .object(["uri": .string(place.path.hasPrefix("/") ? "file://" + path : path)])
  }

  /// A path as part of a URI (RFC 3986). Unreserved characters, slashes and some other characters
  /// allowed in a path stay unencoded.
  private static func percentEncoded(_ path: String) -> String {
    var result = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"),
        UInt8(ascii: "@"), UInt8(ascii: "="):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }
    return result
  }

  // MARK: Stacks and steps

  private func stack(_ side: Finding.Side) -> JSONValue {
    let frames = side.stack.map { frame in
      var members: [(String, JSONValue)] = [("location", location(frame))]
      if let image = frame.image { members.append(("module", .string(image))) }
      return object(members)
    }
    return .object(["message": Self.text(side.title), "frames": .array(frames)])
  }

  /// The steps: a flow for each thread, with steps numbered in the order of all.
  private var codeFlows: [JSONValue] {
    guard !finding.steps.isEmpty else { return [] }
    var parties: [String] = []
    var steps: [String: [JSONValue]] = [:]
    for (index, step) in finding.steps.enumerated() {
      if steps[step.party] == nil { parties.append(step.party) }
      let place = step.place.flatMap(context.repository.location)
      let value = JSONValue.object([
        "location": location(place, function: step.place?.function, message: step.text),
        "executionOrder": .number(index + 1),
      ])
      steps[step.party, default: []].append(value)
    }
    let threads = parties.map { party in
      JSONValue.object(["id": .string(party), "locations": .array(steps[party] ?? [])])
    }
    return [.object(["threadFlows": .array(threads)])]
  }
}
