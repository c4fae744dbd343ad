#if os(Linux)
import Foundation

/// The resident memory of this process in bytes; `nil` if the system does not report it.
func residentBytes() -> Int? {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
    return nil
  }
  let fields = text.split(separator: " ")
  return fields.count > 1 ? Int(fields[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
}
#else
/// The resident memory of this process in bytes; not measured on this system.
func residentBytes() -> Int? { nil }
#endif
