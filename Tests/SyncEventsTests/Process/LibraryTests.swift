import CInterlockEvents
import Foundation
import SyncEventsTestC
import Testing

extension SyncEvents {
  /// The classification of libraries as the system's or the user's, whenever they are opened.
  @Suite("Libraries")
  struct LibraryTests {
    @Test(
      "A library opened late is seen, and its code is the user's",
      arguments: ["late.so", "libswiftlog.so", "libFoundationKit.so", "libdispatchers.so"])
    func lateLibrary(name: String) throws {
      let child = try CompiledC.library(name, Self.lateSource) { try ChildRun("late", $0) }
      #expect(child.status == 0, "\(child.errors)")
      // The wait table's count grows by the library's calls, and its code is the user's.
      #expect(child.numbers == [1])
    }

    /// Checks that the wait table's count grows by the library's calls, and that they come from the
    /// user's code.
    private static let lateSource = """
      #include <pthread.h>
      #include <semaphore.h>
      static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
      static __attribute__((noinline)) unsigned long place(void) {
        return (unsigned long)__builtin_return_address(0);
      }
      int sync_events_late(unsigned long (*progress)(void), _Bool (*is_users)(unsigned long)) {
        if (!is_users(place())) return -2;
        if (is_users((unsigned long)&sem_getvalue)) return -3;
        unsigned long before = progress();
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        sem_t semaphore;
        sem_init(&semaphore, 0, 1);
        sem_wait(&semaphore);
        return progress() > before;
      }
      """

    @Test("Locks made in a Swift library opened late are named by their lines, and told apart")
    func madeLate() throws {
      let source = """
        import Foundation
        final class Locks { let one = NSLock(); let other = NSLock() }
        @_cdecl("sync_events_late") public func late(_: OpaquePointer, _: OpaquePointer) -> Int32 {
          let locks = Locks()
          let (isHeld, isTaken) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
          Thread.detachNewThread {
            locks.one.withLock {
              isHeld.signal()
              isTaken.wait()
              locks.other.lock()
            }
          }
          isHeld.wait()
          locks.other.withLock {
            isTaken.signal()
            locks.one.lock()
          }
          return 1
        }
        """
      let child = try CompiledC.swiftLibrary("late.so", source) {
        try ChildRun("late", $0, options: "hang_limit=30")
      }
      #expect(child.status == 86, "\(child.errors)")
      let name =
        /holds the mutex made at late.swift:4  late\(_:_:\) by Locks.init\(\) \(0x[0-9a-f]+\)/
      #expect(child.errors.matches(of: name).count == 2, "\(child.errors)")
    }

    @Test("Every library of the toolchain is the system's")
    func toolchain() throws {
      let core = String(cString: try #require(sync_events_library_of("swift_retain")))
      let folder = URL(fileURLWithPath: core).deletingLastPathComponent().path
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".so") }
      #expect(names.contains("libswiftCore.so"))
      #expect(names.filter { !interlock_events_is_system_library($0) } == [])
    }

    @Test(
      "A Foundation loaded after the start is known once an address in it was looked up",
      .enabled(if: FileManager.default.fileExists(atPath: Self.events), "no sources here"))
    func lateFoundation() throws {
      let library = """
        __attribute__((noinline)) unsigned long here(void) {
          return (unsigned long)__builtin_return_address(0);
        }
        unsigned long place(void) { return here() + 0 * here(); }
        """
      // A program that does not link Foundation: `program`, with the files that classify libraries.
      let program = """
        #include <dlfcn.h>
        #include <stdio.h>
        #include "interlock_places.h"
        unsigned long interlock_life_of_thread(unsigned long place) { return place; }
        void interlock_life_runs(unsigned long life) { (void)life; }
        void interlock_life_refused(unsigned long life) { (void)life; }
        const char *interlock_layouts_lost(unsigned among) { return among ? 0 : ""; }
        int main(int count, char **arguments) {
          void *library = dlopen(arguments[count - 1], RTLD_NOW);
          unsigned long (*place)(void) = (unsigned long (*)(void))dlsym(library, "place");
          unsigned long address = place();
          int before = interlock_events_is_foundation(address);
          int is_users = interlock_events_is_users(address);
          printf("%d %d %d\\n", before, is_users, interlock_events_is_foundation(address));
        }
        """
      let sources = [
        "calls.c", "events.c", "Posix/interpose_signals.c", "Posix/interpose_threads.c",
        "Code/code_ranges.c", "Code/user_places.c",
      ].map { Self.events + $0 }
      let output = try CompiledC.library("libFoundation.so", library) { library in
        try CompiledC.compiled(
          "program", program, sources + ["-O1", "-I", Self.events + "include"]
        ) { program in
          let process = Process()
          let pipe = Pipe()
          process.executableURL = URL(fileURLWithPath: program)
          process.arguments = [library]
          process.standardOutput = pipe
          try process.run()
          let output = pipe.fileHandleForReading.readDataToEndOfFile()
          process.waitUntilExit()
          return String(decoding: output, as: UTF8.self)
        }
      }
      #expect(output == "0 0 1\n")
    }

    private static let events =
      URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Sources/CInterlockEvents/").standardized.path + "/"
  }
}
