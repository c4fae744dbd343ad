import Dispatch
import Foundation
import Interlock

/// Prints the cost of marks in a program that links `Interlock` alone, as an application does: a
/// line for each kind, with its name and the nanoseconds of a pair.
@main
struct YardstickMarks {
  static func main() {
    let end = DispatchSemaphore(value: 0)
    Thread { end.wait() }.start()
    let section = Section("yardstick.section")
    time("begin + end on a Section, stacks on", stacks: 16) { turns in
      for _ in 0..<turns {
        section.begin(.noReadWrite)
        section.end(.noReadWrite)
      }
    }
    time("begin + end on a Section, stacks off", stacks: 0) { turns in
      for _ in 0..<turns {
        section.begin(.noReadWrite)
        section.end(.noReadWrite)
      }
    }
    time("begin + end by a literal name, stacks off", stacks: 0) { turns in
      for _ in 0..<turns {
        BEGIN_LOCK(.noReadWrite, "yardstick.literal")
        END_LOCK(.noReadWrite, "yardstick.literal")
      }
    }
    SectionTracking.coverage = true
    time("the first, with contention coverage", stacks: 16) { turns in
      for _ in 0..<turns {
        section.begin(.noReadWrite)
        section.end(.noReadWrite)
      }
    }
    SectionTracking.coverage = false
    time("begin + end on a part, stacks on", stacks: 16) { turns in
      for turn in 0..<turns {
        section.begin(.noReadWrite, part: turn)
        section.end(.noReadWrite, part: turn)
      }
    }
    end.signal()
  }

  private static func time(_ name: String, stacks: Int, _ body: (Int) -> Void) {
    SectionTracking.stackDepth = stacks
    let times = (0..<20).map { _ in
      let start = nanoseconds()
      body(20_000)
      return Double(nanoseconds() - start) / 20_000
    }
    print("\(name)\t\(times.dropFirst().sorted()[9])")
  }

  /// The processor time that the calling thread has used, which other processes do not affect.
  private static func nanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }
}
