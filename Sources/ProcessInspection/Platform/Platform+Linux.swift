#if os(Linux)
import CMarks
import Foundation

extension Platform {
  /// The process as a whole.
  package static func process(_ process: Int32) -> Process? {
    guard let fields = statistics("/proc/\(process)/stat"), fields.count > 21 else { return nil }
    return Process(
      threads: number(fields[17]), residentBytes: number(fields[21]) * sysconf(Int32(_SC_PAGESIZE)),
      cpuSeconds: cpuSeconds(fields), isMainThreadDead: state(fields[0].first) == .dead)
  }

  /// The name of a process's program, cut to 15 bytes, and the start time of the process, in clock
  /// ticks since the system's start.
  package static func beginning(of process: Int32) -> (program: String, time: String)? {
    let path = "/proc/\(process)/stat"
    guard let fields = statistics(path), fields.count > 19,
      let name = contents(of: "/proc/\(process)/comm")
    else { return nil }
    let program = name.split(separator: UInt8(ascii: "\n")).first ?? []
    return (String(decoding: program, as: UTF8.self), String(decoding: fields[19], as: UTF8.self))
  }

  /// The processor time that a thread has used, in seconds; 0 if it has ended.
  package static func cpuSeconds(of thread: Int, in process: Int32) -> Double {
    guard let fields = statistics("/proc/\(process)/task/\(thread)/stat"), fields.count > 12 else {
      return 0
    }
    return cpuSeconds(fields)
  }

  /// The fields of a process or a thread, starting with its state.
  private static func statistics(_ path: String) -> [ArraySlice<UInt8>]? {
    // The name stands in parentheses and may hold any byte: the fields begin after the last one.
    guard let text = contents(of: path), let end = text.lastIndex(of: UInt8(ascii: ")")) else {
      return nil
    }
    return text[(end + 1)...].split(separator: UInt8(ascii: " "))
  }

  private static func cpuSeconds(_ fields: [ArraySlice<UInt8>]) -> Double {
    Double(number(fields[11]) + number(fields[12])) / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
  }

  /// The process's threads.
  package static func threads(of process: Int32) -> [Thread] {
    threadNumbers(of: process).compactMap { id in
      guard let text = contents(of: "/proc/\(process)/task/\(id)/status") else { return nil }
      var thread = Thread(id: id, name: "", state: .unknown, switches: 0)
      for line in text.split(separator: UInt8(ascii: "\n")) {
        if let value = value(of: "Name", in: line) {
          thread.name = String(decoding: value, as: UTF8.self)
        } else if let value = value(of: "State", in: line) {
          thread.state = state(value.first)
        } else if let value = value(of: "voluntary_ctxt_switches", in: line) {
          thread.switches += number(value)
        } else if let value = value(of: "nonvoluntary_ctxt_switches", in: line) {
          thread.switches += number(value)
        }
      }
      return thread
    }
  }

  /// Whether a thread to which a signal was sent has not handled it and will, once it gets a
  /// processor: the signal is pending and not blocked, or the thread may be in its handler.
  package static func willHandle(_ signal: Int32, _ thread: Int, of process: Int32) -> Bool {
    guard let text = contents(of: "/proc/\(process)/task/\(thread)/status") else { return false }
    var state = ThreadState.unknown
    var isPending = false
    for line in text.split(separator: UInt8(ascii: "\n")) {
      if let value = value(of: "State", in: line) { state = self.state(value.first) }
      // `SigPnd` comes before `SigBlk` in the file: a blocked signal sets `isPending` back to
      // false.
      for (name, decides) in [("SigPnd", true), ("SigBlk", false)] as [(StaticString, Bool)] {
        guard let value = value(of: name, in: line),
          let signals = UInt64(String(decoding: value, as: UTF8.self), radix: 16),
          signals >> UInt64(signal - 1) & 1 == 1
        else { continue }
        isPending = decides
      }
    }
    return state == .running || isPending && [.sleeping, .blocked].contains(state)
  }

  /// The numbers of the process's threads.
  package static func threadNumbers(of process: Int32) -> [Int] {
    numbers(in: "/proc/\(process)/task")
  }

  /// The entries of a folder whose names are numbers.
  package static func numbers(in folder: String) -> [Int] {
    guard let folder = opendir(folder) else { return [] }
    defer { closedir(folder) }
    var numbers: [Int] = []
    while let entry = readdir(folder) {
      let number = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 1) { strtol($0, nil, 10) }
      }
      // A name that is no number reads as 0, which no process or thread has.
      if number > 0 { numbers.append(number) }
    }
    return numbers
  }

  /// What a sleeping thread waits for.
  package static func wait(of thread: Int, in process: Int32) -> Wait {
    switch systemCall(of: thread, in: process) {
    case .unreadable: return .unknown
    // The thread slept when its state was read, and has been woken since.
    case .none: return .wakesByItself
    case .call(let number, let arguments):
      switch interlock_classify_wait(number, arguments) {
      case INTERLOCK_WAIT_FOREVER: return .forever
      case INTERLOCK_WAIT_TIMED_FUTEX: return .timedFutex
      case INTERLOCK_WAIT_EPOLL: return .listens
      // The main thread polls its run loop's epoll; for other threads the wait table shows what
      // they poll.
      case INTERLOCK_WAIT_POLL where thread == Int(process): return .listens
      case INTERLOCK_WAIT_POLL, INTERLOCK_WAIT_OUTSIDE: return .input
      default: return .wakesByItself
      }
    }
  }

  /// The word on which a thread waits in the kernel; `nil` if it is not in a futex.
  package static func futex(of thread: Int, in process: Int32) -> Futex? {
    guard case .call(let number, let arguments) = systemCall(of: thread, in: process),
      interlock_is_futex(number)
    else { return nil }
    return Futex(word: UInt(arguments[0]), isPrivate: interlock_is_private_futex(arguments))
  }

  /// Whether other processes may have the memory at an address of this process: it is of a file, or
  /// shared. `nil` if the system does not tell.
  package static func isShared(_ address: UInt) -> Bool? {
    let descriptor = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // One word for each page: bit 61 is the answer, bits 62 and 63 say that the system knows the
    // page.
    var page: UInt64 = 0
    let size = UInt(sysconf(Int32(_SC_PAGESIZE)))
    guard pread(descriptor, &page, 8, off_t(address / size * 8)) == 8, page >> 62 != 0 else {
      return nil
    }
    return page >> 61 & 1 == 1
  }

  private enum SystemCall {
    case call(number: Int, arguments: [UInt64])
    /// The thread is in no system call: it runs.
    case none
    case unreadable
  }

  private static func systemCall(of thread: Int, in process: Int32) -> SystemCall {
    // The file has a number and hexadecimal arguments, or `running`; a security module may forbid
    // reading it.
    guard let text = contents(of: "/proc/\(process)/task/\(thread)/syscall") else {
      return .unreadable
    }
    let words = String(decoding: text, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    if words == ["running"] { return .none }
    guard words.count >= 7, let number = Int(words[0]), number >= 0 else { return .unreadable }
    return .call(
      number: number, arguments: words[1...6].map { UInt64($0.dropFirst(2), radix: 16) ?? 0 })
  }

  /// The code that a process has mapped. Mappings of data are left out: a symbol reader maps the
  /// same files again, and no code runs there.
  package static func mappings(of process: Int32) -> [Mapping] {
    guard let text = contents(of: "/proc/\(process)/maps", atMost: mostMapBytes) else { return [] }
    return text.withUnsafeBytes { text in
      var mappings: [Mapping] = []
      var rest = text[...]
      // Use `memchr`: a process may have mapped many files with long names, and a loop in Swift
      // takes a hundred times as long in a debug build.
      while let end = index(of: "\n", in: rest) {
        let line = rest[..<end]
        rest = rest[(end + 1)...]
        // The rights come after the addresses: "r-xp".
        guard let space = index(of: " ", in: line), line.endIndex - space > 4,
          line[space + 3] == UInt8(ascii: "x"),
          let mapping = Mapping(line: String(decoding: line, as: UTF8.self))
        else { continue }
        mappings.append(mapping)
      }
      return mappings
    }
  }

  /// How much of a list of mappings is read. Linux allows 65,530 of them by default, and a name has
  /// 100 bytes at most in most programs.
  private static let mostMapBytes = 16 << 20

  private static func index(
    of byte: Unicode.Scalar, in bytes: Slice<UnsafeRawBufferPointer>
  ) -> Int? {
    let own = UnsafeRawBufferPointer(rebasing: bytes)
    guard let base = own.baseAddress,
      let found = memchr(base, Int32(UInt8(ascii: byte)), own.count)
    else { return nil }
    return bytes.startIndex + (UnsafeRawPointer(found) - base)
  }

  /// The value after `name:` in a line of a status file, without the white space before it.
  package static func value(of name: StaticString, in line: ArraySlice<UInt8>)
    -> ArraySlice<UInt8>?
  {
    let length = name.utf8CodeUnitCount
    guard line.count > length, line[line.startIndex + length] == UInt8(ascii: ":") else {
      return nil
    }
    let same = name.withUTF8Buffer { zip($0, line).allSatisfy { $0 == $1 } }
    guard same else { return nil }
    return line[(line.startIndex + length + 1)...].drop {
      $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
    }
  }

  /// The state with this letter in the kernel's files.
  private static func state(_ letter: UInt8?) -> ThreadState {
    switch letter.map({ Character(UnicodeScalar($0)) }) {
    case "R": .running
    case "S", "I": .sleeping
    case "D": .blocked
    case "T", "t": .stopped
    case "Z", "X", "x": .dead
    default: .unknown
    }
  }

  /// The whole number at the start of the bytes; 0 if there is none.
  package static func number(_ digits: ArraySlice<UInt8>) -> Int {
    var value = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { break }
      value = value &* 10 &+ Int(digit - UInt8(ascii: "0"))
    }
    return value
  }

  /// The contents of a file of `/proc`, up to a size. The kernel makes them during the read, and
  /// they have no size of their own.
  package static func contents(of path: String, atMost most: Int = .max) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while true {
      let wanted = max(4096, bytes.count)
      var count = 0
      bytes.append(
        contentsOf: [UInt8](unsafeUninitializedCapacity: wanted) { buffer, initialized in
          count = read(descriptor, buffer.baseAddress, wanted)
          initialized = max(0, count)
        })
      guard count >= 0 else { return nil }
      guard count > 0, bytes.count < most else { return bytes }
    }
  }
}

extension Platform.Mapping {
  /// "7f10-7f20 r-xp 00001000 08:01 123   /lib/libc.so.6"
  fileprivate init?(line: String) {
    let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
    guard fields.count == 6 else { return nil }
    let ends = fields[0].split(separator: "-")
    guard ends.count == 2, let first = UInt(ends[0], radix: 16),
      let last = UInt(ends[1], radix: 16), first < last,
      let offset = UInt(fields[2], radix: 16)
    else { return nil }
    self.init(
      addresses: first..<last, offset: offset, path: String(fields[5].drop { $0 == " " }))
  }
}
#endif
