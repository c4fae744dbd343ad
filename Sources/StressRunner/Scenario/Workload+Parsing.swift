import Findings

extension Workload {
  /// The keys of `workload`.
  static let jsonKeys = [
    "driver", "seed", "keys", "valueBytes", "prepare", "phases", "script",
  ]
  /// The most calls that a trial may make.
  static let callLimit = 10_000_000
  /// The most calls that a script may make, including its preparation. The oracles keep each call.
  static let scriptCallLimit = 400_000
  /// The most threads that a phase may start: one per caller with the driver `threads`.
  static let threadLimit = 4096

  /// The values of `prepare`.
  private enum Preparation: String, CaseIterable {
    case nothing
    case allKeys = "all-keys"
  }

  /// Parses `workload`, and rejects excessive amounts of work or memory.
  init(parsing value: ScenarioValue, limits: Limits) throws(ScenarioError) {
    let object = try value.asObject(keys: Self.jsonKeys)
    var keys = 1
    var distribution = Distribution.uniform
    if let given = object["keys"] {
      let object = try given.asObject(keys: ["count", "distribution"])
      keys = try object["count"]?.asWhole(1...1_000_000) ?? keys
      distribution = try object["distribution"]?.asCase(of: Distribution.self) ?? distribution
    }
    let valueBytes = try object["valueBytes"]?.asWhole(0...16_777_216) ?? 64
    let prepares = try object["prepare"]?.asCase(of: Preparation.self) == .allKeys
    let seed = try object["seed"]?.asSeed() ?? 1
    if let script = object["script"] {
      for key in ["driver", "phases"] {
        if let other = object[key] {
          throw other.error("'\(key)' cannot stand beside 'script', which has roles and an order")
        }
      }
      self.init(
        script: try Script(parsing: script, keys: keys, valueBytes: valueBytes), keys: keys,
        valueBytes: valueBytes, preparesAllKeys: prepares, seed: seed)
      try checkTotals(of: script, limits: limits)
      return
    }
    let driver = try object.required("driver").asCase(of: Driver.self)
    var phases: [Phase] = []
    for phase in try object.required("phases").asList(count: 1...16, of: "phases") {
      phases.append(try Phase(parsing: phase))
    }
    self.init(
      driver: driver, phases: phases, keys: keys, distribution: distribution,
      valueBytes: valueBytes, preparesAllKeys: prepares, seed: seed)
    try checkTotals(of: object, limits: limits)
  }

  /// Checks the amount of work and memory that a script needs.
  private func checkTotals(of value: ScenarioValue, limits: Limits) throws(ScenarioError) {
    guard let script else { return }
    let calls = script.callCount + script.preparation.reduce(0) { $0 + $1.times }
    if calls > Self.scriptCallLimit {
      throw value.error(
        "'script' makes \(calls) calls in all, expected at most \(Self.scriptCallLimit)")
    }
    let stores = script.allCalls.filter(\.kind.stores)
    if Set(stores.map(\.value)).count > 1, let small = stores.first(where: { $0.bytes < 8 }) {
      throw value.error(
        "'bytes' must be at least 8 if 'value' distinguishes values, found \(small.bytes)"
      )
    }
    let largest = script.allCalls.map(\.bytes).max() ?? 0
    if keys * largest / 1_048_576 >= limits.memoryMebibytes {
      throw value.error(
        "the values of all keys may take \(keys * largest / 1_048_576) MiB, expected less than"
          + " 'memoryMebibytes', \(limits.memoryMebibytes)")
    }
    if script.seconds >= limits.stallSeconds {
      throw value.error(
        "'seconds' must be below 'stallSeconds', so that a script is given up before it counts as a"
          + " deadlock: found \(script.seconds) and \(limits.stallSeconds)")
    }
  }

  private func checkTotals(of object: ScenarioObject, limits: Limits) throws(ScenarioError) {
    let phasesValue = try object.required("phases")
    // This cannot overflow: three factors of at most a million, and at most sixteen such products.
    if operationCount > Self.callLimit {
      throw phasesValue.error(
        "'phases' make \(operationCount) calls in all, expected at most \(Self.callLimit)")
    }
    let callers = phases.map(\.callers).max() ?? 0
    if driver == .threads, callers > Self.threadLimit {
      throw phasesValue.error(
        "'callers' must be at most \(Self.threadLimit) with the driver 'threads', found \(callers)")
    }
    if distribution == .perCaller, callers > keys {
      throw (object["keys"] ?? phasesValue).error(
        "'count' must be at least the callers of each phase with the distribution 'per-caller':"
          + " found \(keys) for \(callers)")
    }
    let mebibytes = keys * valueBytes / 1_048_576
    if mebibytes >= limits.memoryMebibytes {
      throw (object["valueBytes"] ?? phasesValue).error(
        "the values of all keys take \(mebibytes) MiB (\(keys) × \(valueBytes) bytes),"
          + " expected less than 'memoryMebibytes', \(limits.memoryMebibytes)")
    }
  }
}

extension Workload.Phase {
  /// Parses an element of `phases`.
  init(parsing value: ScenarioValue) throws(ScenarioError) {
    var value = value
    value.name = "a phase"
    value.isKey = false
    let object = try value.asObject(keys: ["callers", "rounds", "operations"])
    self.init(
      callers: try object.required("callers").asWhole(1...1_000_000),
      rounds: try object["rounds"]?.asWhole(1...1_000_000) ?? 1,
      operations: try Workload.Operations(parsing: object.required("operations")))
  }
}

extension Workload.Operations {
  /// Parses `operations`: a list is a sequence, an object contains weights.
  init(parsing value: ScenarioValue) throws(ScenarioError) {
    switch value.json.content {
    case .array:
      var kinds: [Operation.Kind] = []
      for element in try value.asList(count: 1...100, of: "operations") {
        kinds.append(try element.asOperation())
      }
      self = .sequence(kinds)
    case .object(let members):
      let own = members.map(\.key).filter { Operation.Kind(rawValue: $0) != nil }
      _ = try value.asObject(keys: Operation.Kind.allCases.map(\.rawValue) + own)
      if members.isEmpty { throw value.error("'operations' must hold at least one operation") }
      var weights: [Workload.Weight] = []
      for member in members {
        let weight = ScenarioValue(json: member.value, name: member.key, path: value.path)
        guard let kind = Operation.Kind(rawValue: member.key) else { continue }
        weights.append(Workload.Weight(kind: kind, weight: try weight.asWhole(1...1_000_000)))
      }
      self = .weighted(weights)
    default:
      throw value.error(
        "'operations' must be a list of operations, or an object of operations and weights,"
          + " found \(value.json.found)")
    }
  }
}
