import Foundation
import Synchronization

/// Bodies that destroy memory or end their process: each runs in a separate process.
let faultBodies =
  [
    // The second `free` finds the block in the thread's own cache, so it holds no lock.
    Body("double-free") { freeTwice(24) },
    // The block is too large for that cache, so the fault is found while the heap's lock is held.
    Body("double-free-under-lock") { freeTwice(100_000) },
    Body("long-path") {
      let path = "/tmp/" + String(repeating: "directory/", count: 500)
      var status = stat()
      return stat(path, &status) == -1 && errno == ENAMETOOLONG
    },
    Body("longest-path") {
      // The whole path fits into a path's limit; its last component exceeds the limit of a name.
      let path = "/tmp/" + String(repeating: "a", count: 4080)
      var status = stat()
      return stat(path, &status) == -1 && errno == ENAMETOOLONG
    },
    Body("fault-after-another-threads") {
      // Relaxed: the fault itself orders nothing.
      let asked = FaultBeside.asked.add(1, ordering: .relaxed).newValue
      while FaultBeside.answered.load(ordering: .relaxed) != asked {}
      return UnsafePointer<UInt8>(bitPattern: 16)!.pointee == 0
    },
    Body("scribble-in-third") {
      // Two warm-ups come before the first counted execution.
      Scribbles.executions += 1
      guard Scribbles.executions == 5 else { return true }
      scribble(on: SharedMemory.mappings, "large")
      kill(getpid(), SIGKILL)
      return true
    },
    Body("scribble-everywhere") {
      scribble(on: SharedMemory.mappings, "random")
      scribble(on: SharedMemory.privateMappings, "random")
      return true
    },
  ]
  + ["random", "zeros", "ones", "small", "large"].map { pattern in
    Body("scribble-\(pattern)") {
      scribble(on: SharedMemory.mappings, pattern)
      return true
    }
  }
  + ["random", "ones"].map { pattern in
    Body("scribble-\(pattern)-and-exit") {
      scribble(on: SharedMemory.mappings, pattern)
      kill(getpid(), SIGKILL)
      return true
    }
  }

private func freeTwice(_ size: Int) -> Bool {
  let block = malloc(size)
  // The fence keeps the block from merging with the free memory behind it.
  let fence = malloc(size)
  free(block)
  free(block)
  free(fence)
  return true
}

private enum Scribbles {
  // Unsafe: one execution runs at a time.
  nonisolated(unsafe) static var executions = 0
}

/// An unexplored thread that faults, and the program's handler, which repairs the fault.
enum FaultBeside {
  /// The number of accesses that the body has requested, and that the thread has made.
  static let asked = Atomic(0)
  static let answered = Atomic(0)
  // Unsafe: written before the thread is started.
  nonisolated(unsafe) fileprivate static var page = UnsafeMutableRawPointer(bitPattern: 0)

  /// Starts the thread, which then waits for requests of the body.
  static func start() {
    page = mmap(nil, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    var action = sigaction()
    action.sa_flags = SA_SIGINFO
    action.__sigaction_handler.sa_sigaction = { _, info, _ in
      guard info?.pointee._sifields._sigfault.si_addr == FaultBeside.page else { _exit(99) }
      guard let page = FaultBeside.page else { return }
      mprotect(page, 4096, PROT_READ | PROT_WRITE)
    }
    sigaction(SIGSEGV, &action, nil)
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { _ in
        while true {
          let asked = FaultBeside.asked.load(ordering: .relaxed)
          if asked == FaultBeside.answered.load(ordering: .relaxed) {
            sched_yield()
            continue
          }
          FaultBeside.page?.storeBytes(of: 1, as: UInt8.self)
          FaultBeside.answered.store(asked, ordering: .relaxed)
        }
      }, nil)
  }
}

/// The memory that this process shares with its parent, found in the way open to any body.
private enum SharedMemory {
  static var mappings: [UnsafeMutableRawBufferPointer] { find("rw-s") }
  static var privateMappings: [UnsafeMutableRawBufferPointer] { find("rw-p") }

  private static func find(_ protection: String) -> [UnsafeMutableRawBufferPointer] {
    guard let file = fopen("/proc/self/maps", "r") else { return [] }
    defer { fclose(file) }
    var found: [UnsafeMutableRawBufferPointer] = []
    var line = [CChar](repeating: 0, count: 4096)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
      let fields = text.split(whereSeparator: { "- \n".contains($0) })
      guard fields.count > 2, text.contains(" \(protection) "),
        let begin = UInt(fields[0], radix: 16), let end = UInt(fields[1], radix: 16)
      else { continue }
      found.append(
        UnsafeMutableRawBufferPointer(
          start: UnsafeMutableRawPointer(bitPattern: begin), count: Int(end - begin)))
    }
    return found
  }
}

/// Writes to each page that is in use, and to some pages that are not.
private func scribble(on mappings: [UnsafeMutableRawBufferPointer], _ pattern: String) {
  var state = UInt64(getpid())
  func next() -> UInt64 {
    state = state &* 0x5851_f42d_4c95_7f2d &+ 0x1405_7b7e_f767_814f
    let random = state ^ state >> 29
    switch pattern {
    case "zeros": return 0
    case "ones": return .max
    case "small": return random >> 62
    case "large": return 0x0000_7fff_ffff_fff0
    default: return random
    }
  }
  let page = 4096
  var isUsed = [UInt8](repeating: 0, count: 1 << 18)
  for mapping in mappings {
    let pages = min(mapping.count / page, isUsed.count)
    mincore(mapping.baseAddress, pages * page, &isUsed)
    for number in 0..<pages where isUsed[number] & 1 == 1 || number % 1024 == 0 {
      let words = UnsafeMutableRawBufferPointer(
        rebasing: mapping[number * page..<(number + 1) * page]
      ).bindMemory(to: UInt64.self)
      for index in words.indices { words[index] = next() }
    }
  }
}
