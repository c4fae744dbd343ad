/// The options of `INTERLOCK_OPTIONS` for tests whose source stays as it is.
package struct TestOptions: EnvironmentOptions {
  /// The orders in which each test runs.
  package enum Exploration: String, CaseIterable, Sendable {
    /// As usual.
    case off
    /// Those that the budget of the test allows.
    case tests
    /// One, the same each time, in virtual time.
    case oneOrder = "one_order"
  }

  /// The orders in which each test runs.
  package var explore = Exploration.off
  /// The time for each test, in seconds.
  package var exploreBudget = 10.0

  /// The token of a failure, of which only the schedule is executed; `nil` for all orders.
  package var exploreReplay: String?

  /// The defaults.
  package init() {}

  /// The values from the environment.
  package static var ofThisProcess: Self { OptionVariable.ofThisProcess[Self.self] }

  /// The options.
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
      "explore_replay", .text("token"), \.exploreReplay,
      "Executes only the schedule of this token of a failure; choose its test with `--filter`."),
  ]
}
