/// Formats a limit in seconds, without decimals if it is whole: `2.1 s`, `30 s`.
package func limitText(_ seconds: Double) -> String {
  let tenths = Int((seconds * 10).rounded())
  return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
}
