/// A shell that can complete command lines.
package enum Shell: String, Sendable, CaseIterable {
  /// The GNU shell, from version 3.2.
  case bash
  /// The Z shell.
  case zsh
  /// The friendly interactive shell.
  case fish
}
