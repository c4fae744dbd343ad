/// A trap file on disk. To be used under the lock of the pairs.
///
/// It is written whole to a file beside it that is then renamed, so that no reader sees half of
/// one. Processes of one run may share it: each adds what is there when it writes. Of two that
/// write at the same moment the later one counts, and what the other had found is found again.
struct TrapStore {
  let path: String
  private let build: String
  private var warned = false

  init(path: String) {
    self.path = path
    build = Platform.executableIdentity
  }

  /// What earlier runs of this build have left: nothing where there is no file yet, or an empty
  /// one. Anything else that cannot be used is a line on standard error.
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

  /// Adds pairs to what is there now.
  mutating func save(_ pairs: [TrapFile.Pair: PairState]) {
    var file = TrapFile(build: build, pairs: pairs)
    // What cannot be read was said when it was loaded.
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
