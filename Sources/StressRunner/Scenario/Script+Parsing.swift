import Findings

extension Script {
  /// The keys of `script`.
  static let jsonKeys = ["prepare", "roles", "order", "seconds", "heldUp"]
  /// The keys of a call.
  static let callKeys = ["do", "key", "value", "bytes", "cost", "times", "waits"]
  /// The most values of a key.
  private static let valueLimit = 64

  /// Parses `script`.
  ///
  /// - Parameters:
  ///   - value: The value in the file.
  ///   - keys: The number of keys in the workload.
  ///   - valueBytes: The default size of a value.
  /// - Throws: The first error.
  init(parsing value: ScenarioValue, keys: Int, valueBytes: Int) throws(ScenarioError) {
    let object = try value.asObject(keys: Self.jsonKeys)
    func calls(_ list: ScenarioValue) throws(ScenarioError) -> [Call] {
      var calls: [Call] = []
      for element in try list.asList(count: 1...1000, of: "calls") {
        calls.append(try Self.call(element, keys: keys, valueBytes: valueBytes))
      }
      return calls
    }
    var preparation: [Call] = []
    if let given = object["prepare"] { preparation = try calls(given) }
    let rolesValue = try object.required("roles")
    var roles: [Role] = []
    for member in try rolesValue.asMembers() {
      guard isRoleName(member.key) else {
        throw ScenarioError(
          path: value.path, line: member.line,
          message: "a role's name must be at most 20 letters and digits,"
            + " found '\(printable(member.key))'")
      }
      let list = ScenarioValue(json: member.value, name: member.key, path: value.path)
      roles.append(Role(member.key, try calls(list)))
    }
    guard (1...16).contains(roles.count) else {
      throw rolesValue.error("'roles' must hold 1 to 16 roles, found \(roles.count)")
    }
    var order: [Step] = []
    if let given = object["order"] {
      for element in try given.asList(count: 1...100, of: "steps") {
        order.append(try Self.step(element, roles: roles))
      }
    }
    self.init(
      preparation: preparation, roles: roles, order: order,
      seconds: try object["seconds"]?.asSeconds(0.1...60) ?? Self.defaultSeconds,
      heldUp: try object["heldUp"].map(Self.heldUp))
  }

  private static func heldUp(_ value: ScenarioValue) throws(ScenarioError) -> HeldUp {
    let object = try value.asObject(keys: ["from", "until"])
    return HeldUp(
      from: try syncPoint(object.required("from")), until: try syncPoint(object.required("until")))
  }

  private static func syncPoint(_ value: ScenarioValue) throws(ScenarioError) -> String {
    let text = try value.asLine(limit: 200)
    guard isSyncPoint(text) else {
      throw value.error(
        "'\(value.name)' must be a sync point's name, as 'cache.get.afterMiss',"
          + " found '\(printable(text))'")
    }
    return text
  }

  private static func call(
    _ value: ScenarioValue, keys: Int, valueBytes: Int
  ) throws(ScenarioError) -> Call {
    var value = value
    value.name = "a call"
    value.isKey = false
    let object = try value.asObject(keys: callKeys)
    let bytes = try object["bytes"]?.asWhole(0...16_777_216) ?? valueBytes
    return Call(
      try object.required("do").asOperation(),
      key: try object["key"]?.asWhole(0...(keys - 1)) ?? 0,
      value: try object["value"]?.asWhole(0...(valueLimit - 1)) ?? 0,
      bytes: bytes,
      cost: try object["cost"]?.asWhole(0...1_000_000_000),
      times: try object["times"]?.asWhole(1...1_000_000) ?? 1,
      waits: try object["waits"]?.asBool())
  }

  /// Parses `A: cache.get.afterMiss`, or `A: call 1 begins`.
  private static func step(
    _ value: ScenarioValue, roles: [Role]
  ) throws(ScenarioError) -> Step {
    var value = value
    value.name = "a step"
    value.isKey = false
    let text = try value.asLine(limit: 200)
    guard let colon = text.firstIndex(of: ":") else {
      throw value.error(
        "a step must be 'ROLE: PLACE', as 'A: cache.get.afterMiss' or 'A: call 1 ends',"
          + " found '\(printable(text))'")
    }
    let name = String(text[..<colon])
    let place = String(text[text.index(after: colon)...].drop { $0 == " " })
    guard let role = roles.first(where: { $0.name == name }) else {
      throw value.error(
        "there is no role '\(printable(name))': "
          + suggestion(for: name, among: roles.map(\.name)))
    }
    guard isPlace(place, of: role) else {
      throw value.error(
        "a place must be a sync point's name, as 'cache.get.afterMiss', or 'call N begins' or"
          + " 'call N ends' with N from 1 to \(role.calls.count), found '\(printable(place))'")
    }
    return Step(name, place)
  }

  private static func isPlace(_ text: String, of role: Role) -> Bool {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    if words.count == 3, words[0] == "call", words[2] == "begins" || words[2] == "ends" {
      guard let number = Int(words[1]) else { return false }
      return String(number) == words[1] && (1...role.calls.count).contains(number)
    }
    return isSyncPoint(text)
  }

  private static func isSyncPoint(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1
      && parts.allSatisfy { part in
        guard let first = part.utf8.first, (0x61...0x7A).contains(first) else { return false }
        return part.utf8.allSatisfy(isLetterOrDigit)
      }
  }
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
  (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
}

private func isRoleName(_ text: String) -> Bool {
  (1...20).contains(text.utf8.count) && text.utf8.allSatisfy(isLetterOrDigit)
}

extension ScenarioValue {
  /// A kind of call: one that every cache may support, or a subject-specific one, `subject.NAME`.
  func asOperation() throws(ScenarioError) -> Operation.Kind {
    if case .string(let text) = json.content, text.hasPrefix(Operation.Kind.actionPrefix) {
      guard let kind = Operation.Kind(rawValue: text) else {
        throw error(
          "a subject's own call must be 'subject.' and lower-case words joined by hyphens,"
            + " found '\(printable(text))'")
      }
      return kind
    }
    return try asCase(of: Operation.Kind.self)
  }
}
