internal import Findings
internal import Interlock

/// The options of `INTERLOCK_OPTIONS` that the check of memory obeys, besides those of sections.
struct MemoryOptions: EnvironmentOptions {
  var isOn = true

  /// The values from the environment.
  static var ofThisProcess: Self { OptionVariable.ofThisProcess[Self.self] }

  static let options: [Option<Self>] = [
    Option("memory", .onOrOff, \.isOn, "Look for races in memory.")
  ]
}

/// Called before `main` by `Sources/CInterlockMemory/start.c`.
@_cdecl("interlock_memory_declare_options")
func declareOptions(in list: UnsafeMutableRawPointer) {
  declare(MemoryOptions.self, in: list)
  declare(BaselineOptions.self, in: list)
}
