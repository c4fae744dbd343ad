import Foundation

/// A folder with files and folders in it, one for each execution.
private struct Tree: Sendable {
  let root: String
  /// A file descriptor that all threads use: they share its position.
  let shared: Int32
  /// In memory if possible, because each execution makes a new tree.
  private static let memory =
    access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : NSTemporaryDirectory()

  init(in folder: String = Tree.memory) {
    let root = folder + "interlock-files-\(UUID())"
    for folder in ["", "/full", "/empty", "/full/inner"] { mkdir(root + folder, 0o700) }
    for file in ["/a", "/b", "/full/c", "/full/inner/d"] {
      let descriptor = open(root + file, O_WRONLY | O_CREAT, 0o600)
      Glibc.write(descriptor, "old", 3)
      close(descriptor)
    }
    symlink("a", root + "/link")
    link(root + "/b", root + "/second name of b")
    shared = open(root + "/full/c", O_RDONLY)
    self.root = root
  }

  /// The present state: each path and its content.
  var state: String {
    let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return paths.sorted().map { "\($0)=\(read("/" + $0))" }.joined(separator: " ")
  }

  func remove() {
    close(shared)
    try? FileManager.default.removeItem(atPath: root)
  }

  /// The next character of the shared file.
  var next: String {
    var byte: UInt8 = 0
    let count = Glibc.read(shared, &byte, 1)
    return count == 1 ? String(decoding: [byte], as: UTF8.self) : "\(count)"
  }

  func read(_ path: String) -> String {
    let file = open(root + path, O_RDONLY)
    guard file >= 0 else { return "-" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = Glibc.read(file, &bytes, bytes.count)
    return count < 0 ? "?" : String(decoding: bytes[..<count], as: UTF8.self)
  }

  @discardableResult func write(_ path: String, _ text: String, _ flags: Int32) -> Int32 {
    let file = open(root + path, O_WRONLY | flags, 0o600)
    guard file >= 0 else { return -errno }
    defer { close(file) }
    return Int32(Glibc.write(file, text, text.utf8.count))
  }

  func list(_ path: String) -> String {
    guard let folder = opendir(root + path) else { return "-" }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(string(entry.pointee.d_name))
    }
    // Foundation's temporary files have random names.
    return names.filter { !$0.hasPrefix(".dat") }.joined(separator: ",")
  }

  func size(_ path: String) -> String {
    var facts = stat()
    guard stat(root + path, &facts) == 0 else { return "-" }
    return "\(facts.st_mode & 0o777),\(facts.st_size),\(facts.st_nlink)"
  }
}

/// Calls on files; some depend on each other, some do not.
private let calls: [@Sendable (Tree) -> String] = [
  { $0.size("/a") },
  { $0.size("/full/inner/d") },
  { $0.read("/a") },
  { $0.read("/link") },
  { $0.read("/full/c") },
  { $0.read("/renamed") },
  { $0.read("/made/x") },
  { $0.list("") },
  { $0.list("/full") },
  { "\(access($0.root + "/b", F_OK))" },
  { "\($0.write("/a", "new", O_TRUNC))" },
  { "\($0.write("/link", "by link", O_TRUNC))" },
  { "\($0.write("/b", "made", O_CREAT | O_EXCL))" },
  { "\($0.write("/made", "file", O_CREAT | O_EXCL))" },
  { "\($0.write("/empty/x", "x", O_CREAT))" },
  { "\(mkdir($0.root + "/made", 0o700))" },
  { "\(rmdir($0.root + "/empty"))" },
  { "\(unlink($0.root + "/a"))" },
  { "\(unlink($0.root + "/full/c"))" },
  { "\(rename($0.root + "/a", $0.root + "/renamed"))" },
  { "\(rename($0.root + "/a", $0.root + "/b"))" },
  { "\(rename($0.root + "/full", $0.root + "/made"))" },
  { "\(rename($0.root + "/made", $0.root + "/full/made"))" },
  { "\(link($0.root + "/a", $0.root + "/made"))" },
  { "\(symlink("b", $0.root + "/made"))" },
  { "\(chmod($0.root + "/a", 0o400))" },
  { "\(truncate($0.root + "/b", 1))" },
  { tree in (try? Data(contentsOf: URL(fileURLWithPath: tree.root + "/a"))).map { "\($0)" } ?? "-"
  },
  { tree in
    let url = URL(fileURLWithPath: tree.root + "/a")
    return "\((try? Data("atomic".utf8).write(to: url, options: .atomic)) != nil)"
  },
  { "\((try? FileManager.default.removeItem(atPath: $0.root + "/full")) != nil)" },
  { tree in
    let (from, to) = (tree.root + "/full/inner", tree.root + "/empty/inner")
    return "\((try? FileManager.default.moveItem(atPath: from, toPath: to)) != nil)"
  },
  { "\(FileManager.default.fileExists(atPath: $0.root + "/full/inner"))" },
  { $0.next },
  { "\(lseek($0.shared, 1, SEEK_CUR))" },
  { "\(close($0.shared))" },
  { $0.next + $0.read("/a") },
  { $0.size("/second name of b") },
  { "\(linkat(AT_FDCWD, $0.root + "/a", AT_FDCWD, $0.root + "/made", 0))" },
  { "\(symlinkat("b", AT_FDCWD, $0.root + "/made"))" },
  { "\(fchmodat(AT_FDCWD, $0.root + "/b", 0o400, 0))" },
  { tree in
    var byte: UInt8 = 0
    return withUnsafeMutablePointer(to: &byte) { byte in
      var buffer = iovec(iov_base: byte, iov_len: 1)
      return "\(preadv(tree.shared, &buffer, 1, 0)) \(byte.pointee)"
    }
  },
  { tree in
    let to = open(tree.root + "/a", O_WRONLY)
    defer { close(to) }
    return "\(sendfile(to, tree.shared, nil, 2))"
  },
]

/// Bodies of two threads, each of which makes one of the calls.
let fileBodies = calls.indices.flatMap { one in
  calls.indices.dropFirst(one).map { other in
    Body("files-\(one)-\(other)") { outcome([[one], [other]]) }
  }
}

/// Runs threads that make calls on the files of one folder: each thread the calls of its indices.
private func outcome(_ numbers: [[Int]]) -> Bool {
  let tree = Tree()
  let answers = numbers.map { _ in Shared("") }
  let threads = zip(numbers, answers).map { numbers, answer in
    startThread { answer.value = numbers.map { calls[$0](tree) }.joined(separator: " ") }
  }
  for thread in threads { pthread_join(thread, nil) }
  Outcomes.note((answers.map(\.value) + [tree.state]).joined(separator: " | "))
  tree.remove()
  return true
}

let fileBodiesOfThree = (0..<40).map { seed in
  Body("file-calls-\(seed)") {
    var random = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 &+ 1
    func next() -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % calls.count
    }
    return outcome([[next()], [next()], [next()]])
  }
}

/// Files with random names, which the file system lists in a different order each time.
let listingBodies = [
  Body("listed-files") {
    let tree = Tree(in: NSTemporaryDirectory())
    for _ in 0..<3 {
      let folder = tree.root + "/listed"
      mkdir(folder, 0o700)
      for _ in 0..<5 { tree.write("/listed/\(UUID())", "new", O_CREAT) }
      // The uses of the files follow the order of the list.
      for name in tree.list("/listed").split(separator: ",") { _ = tree.size("/listed/\(name)") }
      let files = try? FileManager.default.contentsOfDirectory(atPath: folder)
      for name in files ?? [] { _ = tree.read("/listed/\(name)") }
      try? FileManager.default.removeItem(atPath: folder)
    }
    tree.remove()
    return true
  }
]

/// Calls on an open file that the explorer does not control.
private let escapingCalls: [(String, @Sendable (Int32) -> Int32)] = [
  ("dup", { dup($0) }),
  ("dup2", { dup2($0, 200) }),
  ("fcntl", { fcntl($0, F_DUPFD, 0) }),
  ("fcntl-close", { fcntl($0, F_DUPFD_CLOEXEC, 0) }),
  (
    "fcntl-lock",
    {
      var lock = flock(l_type: Int16(F_RDLCK), l_whence: 0, l_start: 0, l_len: 0, l_pid: 0)
      return fcntl($0, F_SETLK, &lock)
    }
  ),
  ("flock", { flock($0, LOCK_SH) }),
  ("lockf", { lockf($0, F_TEST, 1) }),
  ("fdopen", { fdopen(dup($0), "r") == nil ? -1 : 0 }),
  ("fopen", { _ in fopen("/dev/null", "r") == nil ? -1 : 0 }),
  ("fchdir", { fchdir($0) == 0 ? 0 : 1 }),
  (
    "glob",
    { _ in
      var found = glob_t()
      defer { globfree(&found) }
      return glob("/dev/nul?", 0, nil, &found)
    }
  ),
  (
    "eventfd",
    { _ in
      let events = eventfd(1, 0)
      defer { close(events) }
      var value: UInt64 = 0
      return read(events, &value, 8) == 8 ? 0 : -1
    }
  ),
]

let escapingBodies = escapingCalls.map { name, call in
  Body("escaping-\(name)") {
    let tree = Tree()
    defer { tree.remove() }
    return call(tree.shared) >= 0
  }
}

/// A call that no header of the Glibc module declares.
@_silgen_name("eventfd") private func eventfd(_ value: UInt32, _ flags: Int32) -> Int32
