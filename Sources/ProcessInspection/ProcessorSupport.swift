/// The features that run on this processor.
///
/// Exploration and the memory check read machine code and the runtime's own layouts, which are
/// known only for x86-64. On another processor both refuse to run: their results might be wrong.
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

  /// Why neither of the two features runs on the named processor.
  package static func gap(on processor: String) -> String? {
    if processor == "x86-64" { return nil }
    return "explore and the check of memory run only on x86-64 so far, and this is \(processor)"
  }
}
