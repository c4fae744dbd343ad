/// The options of `INTERLOCK_OPTIONS` for tests whose source is unchanged.
package struct TestOptions: EnvironmentOptions {
  /// The orders in which each test runs.
  package enum Exploration: String, CaseIterable, Sendable {
    /// The test runs as usual.
    case off
    /// The test runs in as many orders as its budget allows.
    case tests
    /// The test runs in one order, the same each time, in virtual time.
    case oneOrder = "one_order"
  }

  /// The orders in which each test runs.
  package var explore = Exploration.off
  /// The time for each test, in seconds.
  package var exploreBudget = 10.0
  /// The most orders of each test; `nil` for as many as the time allows.
  package var exploreOrders: Int?
  /// The seed of random choices; `nil` for the default.
  package var exploreSeed: UInt64?
  /// A regular expression that selects the tests to explore; `nil` for all.
  package var exploreFilter: String?
  /// True if no test begins after a test that fails in an order.
  package var exploreStop = false
  /// The token of a failure: only its schedule is executed; `nil` for all orders.
  package var exploreReplay: String?

  /// Creates the default values.
  package init() {}

  /// The values from the environment.
  package static var ofThisProcess: Self { OptionVariable.ofThisProcess[Self.self] }

  /// The declared options.
  package static let options: [Option<Self>] = [
    Option(
      "explore", .choice(Exploration.allCases, placeholder: "orders"), \.explore,
      "`tests` runs each test in every order that its budget allows, as the trait `.explored` does;"
        + " `one_order` in one order, as `.inOneOrder` does."),
    Option(
      "explore_budget", .seconds(0.1...86_400),
      "The seconds for each test that is explored, {values}.", default: "10"
    ) { $1.exploreBudget = $0 },
    Option(
      "explore_orders", .whole(1...Int.max), \.exploreOrders,
      "The most orders of each test.", default: "as many as the budget allows"),
    Option(
      "explore_seed", .whole(0...UInt64.max), \.exploreSeed, "The seed of random choices.",
      default: "1"),
    Option(
      "explore_filter", .regularExpression, \.exploreFilter,
      "Explores only the tests whose identifier, as in `swift test --filter`, matches this regular"
        + " expression without blanks; others run as usual.",
      default: "all"),
    Option(
      "explore_stop", .onOrOff, \.exploreStop,
      "Starts no other test after one that an order fails."),
    Option(
      "explore_replay", .text("token"), \.exploreReplay,
      "Executes only the schedule of this token of a failure; choose its test with `--filter`."),
  ]
}
