import CInterlockHarness
import Foundation
import ProcessInspection
import SyncEventsTestC
import Testing

extension SyncEvents {
  /// In separate processes: the handler of a signal belongs to the whole process.
  @Suite("The capture of stacks")
  struct StackCaptureTests {
    private static func capture() -> StackCapture {
      let capacity: UInt32 = 8
      let size =
        MemoryLayout<interlock_stack_area>.size
        + Int(capacity) * MemoryLayout<interlock_stack_slot>.stride
      let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
      memset(memory, 0, size)
      let area = memory.bindMemory(to: interlock_stack_area.self, capacity: 1)
      area.pointee.capacity = capacity
      #expect(interlock_stack_capture_install(area))
      return StackCapture(process: getpid(), area: area, capacity: capacity)
    }

    @Test("A thread that gets no processor is waited for")
    func starved() async {
      await #expect(processExitsWith: .success) {
        nonisolated(unsafe) let capture = Self.capture()
        let pipe = Pipe()
        let end = pipe.fileHandleForReading.fileDescriptor
        let mayEnd = DispatchSemaphore(value: 0)
        let starved = TestThread {
          sync_events_starve(end)
          mayEnd.wait()
        }
        eventually("the thread is kept from a processor") {
          Platform.threads(of: getpid()).first { $0.id == starved.id }?.state == .blocked
        }
        #expect(capture.capture([starved.id], patience: 0).isEmpty)
        #expect(Platform.willHandle(SIGPROF, starved.id, of: getpid()))
        let stack = SharedArray<[UInt]>(count: 1) { [] }
        let observer = TestThread {
          stack[0] = capture.capture([starved.id], patience: 0, longest: 60)[starved.id] ?? []
        }
        pipe.fileHandleForWriting.write(Data([0]))
        observer.join()
        #expect(!stack[0].isEmpty)
        mayEnd.signal()
        starved.join()
      }
    }

    @Test("A thread that blocks the signal is not waited for")
    func blocking() async {
      await #expect(processExitsWith: .success) {
        let capture = Self.capture()
        let isBlocked = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let thread = TestThread {
          var signals = sigset_t()
          sigemptyset(&signals)
          sigaddset(&signals, SIGPROF)
          pthread_sigmask(SIG_BLOCK, &signals, nil)
          isBlocked.signal()
          mayEnd.wait()
        }
        isBlocked.wait()
        eventually("the thread waits") {
          Platform.threads(of: getpid()).first { $0.id == thread.id }?.state == .sleeping
        }
        #expect(capture.capture([thread.id], patience: 0, longest: 60).isEmpty)
        #expect(!Platform.willHandle(SIGPROF, thread.id, of: getpid()))
        mayEnd.signal()
        thread.join()
      }
    }
  }
}
