internal import SectionTable

/// A trap file on disk. Use it under the lock of the pairs.
///
/// The file is written completely under a temporary name and then renamed, so no reader sees half
/// of it. Processes of one run may share the file: each adds its pairs to the current contents. If
/// two write at the same time, the later one wins, and the pairs of the other are found again.
struct TrapStore {
  let path: String
  private let build: String
  private var warned = false

  init(path: String) {
    self.path = path
    build = Platform.executableIdentity
  }

  /// The pairs of earlier runs of this build; empty if the file is missing or empty. Any other
  /// unusable file is reported in a line on standard error.
  mutating func load() -> (file: TrapFile, mustBeRebuilt: Bool) {
    let nothing = TrapFile(build: build)
    do throws(Platform.FileFailure) {
      guard let bytes = try Platform.contents(of: path, atMost: TrapFile.mostBytes), !bytes.isEmpty
      else {
        return (nothing, false)
      }
      switch TrapFile.parse(String(decoding: bytes, as: UTF8.self), build: build) {
      case .success(let file): return (file, false)
      case .failure(let problem): warn("\(problem.text); it is rebuilt")
      }
    } catch {
      warn("could not be read (\(error.reason)); it is rebuilt")
    }
    return (nothing, true)
  }

  /// Adds pairs to the current contents.
  mutating func save(_ pairs: [TrapFile.Pair: PairState]) {
    var file = TrapFile(build: build, pairs: pairs)
    // An unreadable file was reported when it was loaded.
    if let bytes = try? Platform.contents(of: path, atMost: TrapFile.mostBytes),
      case .success(let there) = TrapFile.parse(
        String(decoding: bytes, as: UTF8.self), build: build)
    {
      if there == file { return }
      file.merge(there)
      if there == file { return }
    }
    do throws(Platform.FileFailure) {
      try Platform.replace(path, with: Array(file.text.utf8))
    } catch {
      warn("could not be written (\(error.reason))")
    }
  }

  private mutating func warn(_ text: String) {
    if warned { return }
    warned = true
    writeError("interlock: traps: '\(path)' \(text)\n")
  }
}
