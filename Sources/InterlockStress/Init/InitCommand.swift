import Findings
import Foundation
import Reports
import StressRunner

/// `init`: writes a first test and other useful files into the package in the current folder.
struct InitCommand {
  private let world: World
  private let options: InitOptions
  private let ignoresLock: Bool
  private let folder: String

  init(world: World, options: Options) {
    self.world = world
    self.options = options.initial
    ignoresLock = options.ignoresLock
    folder = world.currentFolder
  }

  /// Writes the files that are missing, and shows what to add to the manifest.
  ///
  /// Returns `unmet` if SwiftPM refuses an edit of the manifest; the manifest is then restored.
  func perform() throws -> ExitCode {
    guard FileManager.default.fileExists(atPath: folder + "/Package.swift") else {
      throw UsageError(
        "'\(escaped(folder))' has no Package.swift: call 'init' in a package, which"
          + " 'swift package init' makes", .initialize)
    }
    let package = try UserPackage.read(folder, world, ignoringLock: ignoresLock)
    let interlock = try interlockFolder()
    let plan = try InitPlan(package, interlock: interlock, options)
    // Write the files first: SwiftPM then writes none of its own in their place.
    for file in plan.files { try write(file.text, folder, file.path) }
    let notes = plan.notes + (try writeWorkflow(plan, interlock))
    let isWhole = try !options.editsManifest || edit(plan.manifest)
    let lines = plan.manifest.lines
    if !options.editsManifest, !lines.isEmpty {
      world.output.write("to add to Package.swift, by hand or with --edit-manifest:\n")
      for line in lines { world.output.write("  \(escaped(line))\n") }
    }
    for note in notes {
      for (index, line) in wrapped(note, width: 98).enumerated() {
        world.output.write((index == 0 ? "- " : "  ") + line + "\n")
      }
    }
    return isWhole ? .met : .unmet
  }

  // MARK: Interlock's package

  private func interlockFolder() throws(UsageError) -> String {
    guard let path = options.interlock ?? world.ownPackage else {
      throw UsageError(
        "It is not known where Interlock is: give its folder by '--interlock <folder>'",
        .initialize)
    }
    let absolute = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: folder + "/"))
      .standardizedFileURL.path
    guard FileManager.default.fileExists(atPath: absolute + "/Package.swift") else {
      throw UsageError(
        "The value '\(escaped(path))' is invalid for '--interlock <folder>': it has no"
          + " Package.swift", .initialize)
    }
    return Self.relative(absolute, to: folder)
  }

  /// A path without symbolic links.
  static func resolved(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
  }

  /// A path relative to a folder, such as `../Interlock`. Never absolute: an absolute path is valid
  /// on one machine only.
  static func relative(_ path: String, to folder: String) -> String {
    let to = resolved(path).split(separator: "/")
    let from = resolved(folder).split(separator: "/")
    let shared = zip(to, from).prefix { $0 == $1 }.count
    let words = from.dropFirst(shared).map { _ in ".." } + to.dropFirst(shared).map(String.init)
    return words.isEmpty ? "." : words.joined(separator: "/")
  }

  // MARK: Files

  /// Writes a new file, and prints a line about it. An existing file is left unchanged.
  private func write(_ text: String, _ root: String, _ path: String) throws {
    let file = root + "/" + path
    let parent = (file as NSString).deletingLastPathComponent
    try? FileManager.default.createDirectory(
      atPath: parent, withIntermediateDirectories: true)
    // Open exclusively: an existing file or link is never followed or overwritten.
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    if descriptor < 0, errno == EEXIST {
      world.output.write("left as it is: \(escaped(path))\n")
      return
    }
    let reason =
      descriptor < 0 ? errno : writeAll(Array(text.utf8), to: descriptor, at: nil)
    if descriptor >= 0 { close(descriptor) }
    if let reason {
      throw RunnerFault(
        reason: "\(escaped(path)) could not be written: \(String(cString: strerror(reason)))")
    }
    world.output.write("written: \(escaped(path))\n")
  }

  private func writeWorkflow(_ plan: InitPlan, _ interlock: String) throws -> [String] {
    let repository = Repository(around: folder).root
    let service = options.service ?? WorkflowFile.service(ofRepository: repository)
    guard let service else {
      return ["No workflow file: the repository shows no CI service, '--ci' names one."]
    }
    let inside = Self.resolved(folder).dropFirst(Self.resolved(repository).count)
    let place = Self.resolved(folder + "/" + interlock)
    let fetch: WorkflowFile.Fetch
    if place.hasPrefix(Self.resolved(repository) + "/") {
      fetch = .repository
    } else if let source = world.interlockSource(place) {
      fetch = .clone(source, into: interlock)
    } else if service != .none {
      return [
        "No workflow file: a job has to fetch Interlock, and \(printable(interlock)) has no origin"
          + " that it could clone. Clone Interlock from its address, or put it into this"
          + " repository, and call 'init' again."
      ]
    } else {
      return []
    }
    guard
      let file = WorkflowFile(
        service, folder: String(inside.drop { $0 == "/" }), fetch: fetch,
        executable: plan.executable)
    else { return [] }
    try write(file.text, repository, file.path)
    return file.note.map { [$0] } ?? []
  }

  // MARK: The manifest

  /// Lets SwiftPM edit the manifest, and restores it if a command fails.
  private func edit(_ change: ManifestChange) throws -> Bool {
    let path = folder + "/Package.swift"
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    for command in change.commands {
      let result = try world.swiftPackage(command + (ignoresLock ? ["--ignore-lock"] : []), folder)
      guard result.code == 0 else {
        try before.write(to: URL(fileURLWithPath: path), options: .atomic)
        let reason = result.errors.split(separator: "\n").last.map(String.init) ?? ""
        world.errors.write(
          "error: Package.swift is as it was: 'swift package \(command[0])' failed:"
            + " \(printable(reason))\n")
        return false
      }
      let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
      try Data(change.finished(text).utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
    if !change.commands.isEmpty { world.output.write("edited: Package.swift\n") }
    return true
  }
}
