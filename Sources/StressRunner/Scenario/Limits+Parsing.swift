import CInterlockHarness

extension Limits {
  /// The keys of `limits`.
  static let keys = ["stallSeconds", "timeSeconds", "memoryMebibytes", "overtakes"]
  /// The allowed range of a trial's time limit, in a file or on the command line, in seconds.
  package static let timeRange: ClosedRange<Double> = 0.1...3600
  /// The allowed range of the number of processors for which a child's pools are sized.
  package static let poolWidthRange = 1...Int(INTERLOCK_POOL_WIDTH_MOST)

  /// Parses `limits`. A missing key takes its default.
  init(parsing value: ScenarioValue?) throws(ScenarioError) {
    self.init()
    guard let value else { return }
    let object = try value.asObject(keys: Self.keys)
    if let stall = object["stallSeconds"] { stallSeconds = try stall.asSeconds(0.1...60) }
    if let time = object["timeSeconds"] { timeSeconds = try time.asSeconds(Self.timeRange) }
    if let memory = object["memoryMebibytes"] { memoryMebibytes = try memory.asWhole(16...65536) }
    if let count = object["overtakes"] { overtakes = try count.asWhole(1...10_000_000) }
  }
}
