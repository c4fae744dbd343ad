import CInterlockEvents
import Foundation
import Interlock
import ProcessInspection
import Testing

@testable import Prediction

#if os(Linux)
@Suite(
  "The order of sections, under load",
  .enabled(
    if: interlock_events_available() == INTERLOCK_EVENTS_ALL,
    "nothing is interposed, so no order is recorded"))
struct OrderLoadTests {
  private struct Load {
    let owners = 10_000
    let resourcesEach = 100
    let lock = NSLock()
    let shared = Section("load.shared")
    let sections: [Section]

    init() { sections = (0..<owners * resourcesEach).map { _ in Section("load.own") } }

    /// Each owner is a thread. The threads run one after another.
    func run(_ owners: Range<Int>) {
      for owner in owners {
        let range = owner * resourcesEach..<(owner + 1) * resourcesEach
        joined {
          for section in sections[range] { section.write {} }
          lock.withLock { shared.write(synched: true) {} }
        }
      }
    }

    /// Runs a body on a new thread, and joins the thread.
    private func joined(_ body: @escaping () -> Void) {
      final class Start {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
      }
      var thread = pthread_t()
      let start = Unmanaged.passRetained(Start(body))
      pthread_create(
        &thread, nil,
        { argument in
          Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue().body()
          return nil
        }, start.toOpaque())
      pthread_join(thread, nil)
    }
  }

  private static var own: Platform.Process {
    guard let own = Platform.process(getpid()) else { preconditionFailure("a process has figures") }
    return own
  }

  @Test("10,000 owners and a million resources take 200 bytes each at most, and equal times")
  func load() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      Predictor.start()
      let load = Load()
      let before = OrderLoadTests.own
      var seconds: [Double] = []
      for part in 0..<10 {
        let start = OrderLoadTests.own.cpuSeconds
        load.run(part * load.owners / 10..<(part + 1) * load.owners / 10)
        seconds.append(OrderLoadTests.own.cpuSeconds - start)
      }
      let bytes = (OrderLoadTests.own.residentBytes - before.residentBytes) / load.sections.count
      let tenths = seconds.map { String(format: "%.2f", $0) }.joined(separator: ", ")
      print("load: \(bytes) bytes a resource; each tenth of the owners: \(tenths) s")
      precondition(bytes <= 200, "\(bytes) bytes a resource")
      // If a step grew with the number of earlier ones, the last tenth would take 20 times as long.
      precondition(seconds[9] < 6 * seconds[0] + 0.5, "\(seconds)")
      let record = Predictor.record()
      precondition(record.state == .on && record.unseen.isEmpty, "\(record.notes)")
      precondition(record.findings.isEmpty, "\(record.findings)")
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    print(output.split(separator: "\n").first { $0.hasPrefix("load: ") } ?? "no figures")
  }
}
#endif
