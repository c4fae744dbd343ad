#if os(Linux)
internal import CMarks
internal import Glibc
internal import SectionTable

/// Looks up source lines by `llvm-symbolizer`, which comes with the toolchain and indexes debug
/// information.
///
/// The toolchain's `Runtime` module reads the line tables of a whole executable for each address:
/// 0.2 s in one of 140 MB. It remains for machines without the program.
struct LineSymbolizer {
  /// A function, and a line of a source file; the line is 0 for code that the compiler made.
  struct Place {
    /// The mangled name; `nil` if debug information has none.
    var function: String?
    var file: String?
    var line: Int?
    /// Counts from 1, in bytes; 0 if debug information has none.
    var column: Int?
  }

  static let shared = Guarded(LineSymbolizer())

  /// Whether the places of an address begin with functions that are inlined there.
  let showsInlined: Bool

  init(showsInlined: Bool = PlatformImages.showsInlined) { self.showsInlined = showsInlined }

  /// A stream to the program, and the process that opened it: a fork's child opens its own.
  private var stream: Int32 = -1
  private var process: pid_t = 0
  /// The stream's own: the user's code may close every descriptor, and get the number again.
  private var inode: ino_t = 0
  var isMissing = false

  /// The most questions at a time: they and their answers fit into the stream.
  private static let most = 64
  /// After this time without an answer, the program counts as missing; milliseconds.
  private static let patience: Int32 = 20_000

  /// The places of return addresses of this process, the innermost inlined function first.
  ///
  /// - Returns: `nil` if the program is missing, or has failed.
  mutating func places(of addresses: [UInt]) -> [UInt: [Place]]? {
    var places: [UInt: [Place]] = [:]
    var rest = addresses[...]
    while !rest.isEmpty {
      let asked = rest.prefix(Self.most)
      guard open(), let answers = answers(to: asked) else {
        close()
        isMissing = true
        return nil
      }
      for (address, answer) in zip(asked, answers) { places[address] = Self.places(answer) }
      rest = rest.dropFirst(asked.count)
    }
    return places
  }

  /// Ends the program.
  mutating func close() {
    if isOpen { Glibc.close(stream) }
    stream = -1
  }

  private var isOpen: Bool { stream >= 0 && Self.inode(of: stream) == inode }

  private static func inode(of descriptor: Int32) -> ino_t? {
    var facts = stat()
    return fstat(descriptor, &facts) == 0 ? facts.st_ino : nil
  }

  // MARK: Questions and answers

  private func answers(to addresses: ArraySlice<UInt>) -> [ArraySlice<Substring>]? {
    // The instruction before, which is the call.
    let questions = addresses.map { Self.question($0 - 1) }.joined()
    guard send(Array(questions.utf8)) else { return nil }
    // An answer ends with an empty line.
    var bytes: [UInt8] = []
    var ends = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while ends < addresses.count {
      var waiting = pollfd(fd: stream, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, Self.patience) > 0 else { return nil }
      let count = recv(stream, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      for byte in buffer[..<count] {
        if byte == 0x0A, bytes.last == 0x0A { ends += 1 }
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .split(separator: "", omittingEmptySubsequences: false)
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { rest in
        // Without a signal if the program has ended.
        Glibc.send(stream, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// An executable's or a library's file, and the address in it.
  private static func question(_ address: UInt) -> String {
    var base: UInt = 0
    let name = interlock_image_of(address, &base).map { String(cString: $0) } ?? ""
    let path = name == "/proc/self/exe" ? program : name
    // No file has a line for these.
    if path.isEmpty || path.contains("\"") || path.contains("\n") { return "\"/dev/null\" 0x0\n" }
    return "\"\(path)\" 0x\(String(address - base, radix: 16))\n"
  }

  /// The path of this process's executable, for another process.
  private static var program: String {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &bytes, bytes.count)
    let path = String(
      decoding: bytes.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return path.hasPrefix("/") && access(path, R_OK) == 0 ? path : "/proc/\(getpid())/exe"
  }

  /// For each function its name, or `??`, and a line as `/folder/File.swift:12:3`, or `??:0:0`.
  private static func places(_ answer: ArraySlice<Substring>) -> [Place] {
    let lines = Array(answer)
    return stride(from: 0, to: lines.count - 1, by: 2).map { index in
      var place = Place(function: lines[index] == "??" ? nil : String(lines[index]))
      let parts = lines[index + 1].split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count >= 3, let line = Int(parts[parts.count - 2]) else { return place }
      let file = parts.dropLast(2).joined(separator: ":")
      // The paths of the C library's, whose debug information may be installed, are relative.
      if file.hasPrefix("/") {
        (place.file, place.line, place.column) = (file, line, Int(parts[parts.count - 1]))
      }
      return place
    }
  }

  // MARK: The program

  /// Starts the program, if it does not run.
  private mutating func open() -> Bool {
    if process != getpid() {
      // The stream is the parent's.
      close()
      isMissing = false
      process = getpid()
    }
    if isOpen { return true }
    guard !isMissing, let path = Self.path else { return false }
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(bitPattern: SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return false }
    defer { Glibc.close(ends[1]) }
    guard start(path, ends[1]) else {
      Glibc.close(ends[0])
      return false
    }
    stream = ends[0]
    inode = Self.inode(of: stream) ?? 0
    return true
  }

  /// Starts the program with a stream as its input and output.
  ///
  /// By a shell, which ends at once: the program is then no child of this process, whose code may
  /// wait for any child.
  private func start(_ path: String, _ stream: Int32) -> Bool {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // What the user's code has open must not stay open in another process.
    for other in Self.openDescriptors where other > 2 && other != stream {
      posix_spawn_file_actions_addclose(&actions, other)
    }
    posix_spawn_file_actions_adddup2(&actions, stream, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    // The program would ask servers for what has no debug information.
    let script = """
      unset DEBUGINFOD_URLS; exec 3<&0
      "$0" --\(showsInlined ? "" : "no-")inlines --functions=linkage --no-demangle <&3 >&3 & exit 0
      """
    let arguments = ["sh", "-c", script, path].map { (word: String) in strdup(word) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var shell: pid_t = 0
    guard posix_spawn(&shell, "/bin/sh", &actions, nil, arguments, environ) == 0 else {
      return false
    }
    var status: Int32 = 0
    while waitpid(shell, &status, 0) < 0, errno == EINTR {}
    return true
  }

  private static var openDescriptors: [Int32] {
    guard let folder = opendir("/proc/self/fd") else { return [] }
    defer { closedir(folder) }
    var open: [Int32] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let number = Int32(name), number != dirfd(folder) { open.append(number) }
    }
    return open
  }

  /// Beside the toolchain's libraries, else by `PATH`; `nil` if it is not there.
  static var path: String? {
    var folders = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":")
      .map(String.init)
    if let library = toolchainLibrary {
      // usr/lib/swift/linux/libswiftCore.so
      let parts = library.split(separator: "/").dropLast(4)
      folders.insert("/" + parts.joined(separator: "/") + "/bin", at: 0)
    }
    return folders.filter { $0.hasPrefix("/") }.map { $0 + "/llvm-symbolizer" }
      .first { access($0, X_OK) == 0 }
  }

  private static var toolchainLibrary: String? {
    var base: UInt = 0
    return dlsym(nil, "swift_retain").flatMap { interlock_image_of(UInt(bitPattern: $0), &base) }
      .map { String(cString: $0) }
  }
}
#endif
