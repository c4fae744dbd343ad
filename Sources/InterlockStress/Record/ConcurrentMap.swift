import Dispatch
import Foundation

extension Array where Element: Sendable {
  /// Maps the elements on all processors at once, and keeps their order. For functions that take
  /// microseconds or longer.
  func mappedConcurrently<Made: Sendable>(_ make: @Sendable (Element) -> Made) -> [Made] {
    let parts = Swift.min(count, ProcessInfo.processInfo.activeProcessorCount)
    guard parts > 1 else { return map(make) }
    let made = UnsafeMutableBufferPointer<[Made]>.allocate(capacity: parts)
    defer {
      made.deinitialize()
      made.deallocate()
    }
    // Unsafe: the compiler cannot see that each part writes its own place, and that all have
    // written when `concurrentPerform` returns.
    nonisolated(unsafe) let places = made
    DispatchQueue.concurrentPerform(iterations: parts) { part in
      let own = self[count * part / parts..<count * (part + 1) / parts]
      places.initializeElement(at: part, to: own.map(make))
    }
    return made.flatMap(\.self)
  }
}
