/// The option of `INTERLOCK_OPTIONS` that names a file of old findings. Each product that compares
/// its findings with the file declares this option.
package struct BaselineOptions: EnvironmentOptions {
  /// The path of the file; `nil` for none.
  package var path: String?

  /// Creates the default values.
  package init() {}

  /// The options.
  package static let options: [Option<Self>] = [
    Option(
      "baseline", .file, \.path,
      "A file of old findings, as `interlock run --baseline` has it. An old issue of a test is a"
        + " warning; an old race in memory is shown and does not fail the process.",
      default: "none")
  ]
}
