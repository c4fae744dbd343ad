/// The options of `INTERLOCK_OPTIONS` that the check of memory obeys, besides those of sections.
package struct MemoryOptions: EnvironmentOptions {
  /// Whether accesses are checked.
  package var isOn = true

  /// The defaults.
  package init() {}

  /// The values from the environment.
  package static var ofThisProcess: Self { OptionVariable.ofThisProcess[Self.self] }

  /// The options.
  package static let options: [Option<Self>] = [
    Option("memory", .onOrOff, \.isOn, "Look for races in memory.")
  ]
}
