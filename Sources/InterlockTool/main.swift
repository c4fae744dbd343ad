import Foundation
import Interlock
final class C: @unchecked Sendable { @Tracked var entries: [Int: Int] = [:]; @Tracked("named") var other: [Int: Int] = [:]
 func put() { entries[1] = 3 }
 func look() -> Int { entries.count } }
SectionTracking.onConflict = .log
let c = C()
func walk(_ d: inout [Int: Int]) {
  let t = Thread { _ = c.look(); c.put(); }
  t.start()
  while !t.isFinished { Thread.sleep(forTimeInterval: 0.01) }
}
walk(&c.entries)
walk(&c.other)
