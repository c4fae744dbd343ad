/// What runs on this processor.
///
/// Exploration and the check of memory read machine code and the runtime's own layouts, which are
/// known for x86-64. Where they are not, both refuse to run: an answer may not be right.
package enum ProcessorSupport {
  /// The processor that this code is compiled for.
  package static var name: String {
    #if arch(x86_64)
    "x86-64"
    #elseif arch(arm64)
    "arm64"
    #else
    "another processor"
    #endif
  }

  /// Why neither exploration nor the check of memory runs on this processor; `nil` if both do.
  package static var gap: String? { gap(on: name) }

  /// Why neither runs on the named processor.
  package static func gap(on processor: String) -> String? {
    if processor == "x86-64" { return nil }
    return "explore and the check of memory run only on x86-64 so far, and this is \(processor)"
  }
}
