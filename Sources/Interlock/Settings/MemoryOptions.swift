/// The options of `INTERLOCK_OPTIONS` for the memory check, which also uses those of sections.
package struct MemoryOptions: EnvironmentOptions {
  /// True if accesses are checked.
  package var isOn = true

  /// Creates the default values.
  package init() {}

  /// The values from the environment.
  package static var ofThisProcess: Self { OptionVariable.ofThisProcess[Self.self] }

  /// The declared options.
  package static let options: [Option<Self>] = [
    Option("memory", .onOrOff, \.isOn, "Look for races in memory.")
  ]
}
