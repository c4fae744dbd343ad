import CInterlockAnalysis
internal import Interlock
import ProcessInspection

/// Called before `main`, by `Sources/CInterlockWatchdog/start.c`.
@_cdecl("interlock_testing_declare_options")
func declareOptions(in list: UnsafeMutableRawPointer) { declare(TestOptions.self, in: list) }

/// Called before `main`, by `Sources/CInterlockWatchdog/start.c`. Starts to follow what threads and
/// tasks wait for, so that the hang of any later test can be explained.
@_cdecl("interlock_testing_starts")
func startTesting() {
  _ = interlock_waits_start()
  if let gap = ProcessorSupport.gap { SectionTracking.announce(gap) }
  TestsAsTheyAre.start()
}
