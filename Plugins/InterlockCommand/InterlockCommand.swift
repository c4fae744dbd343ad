import Foundation
import PackagePlugin

/// `swift package interlock …`: builds the command, and runs it in the package's folder.
///
/// For use by hand; a CI gate runs the executable instead. The package manager turns every exit
/// code other than 0 into 1. On macOS it forbids network access, and it forbids writing without
/// `--allow-writing-to-package-directory`.
@main struct InterlockCommand: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    if let mistake = Self.mistake(in: arguments, context.package) {
      return Diagnostics.error(mistake)
    }
    let progress = "interlock: building the command, which takes minutes the first time\n"
    FileHandle.standardError.write(Data(progress.utf8))
    // The plug-in does not depend on the tool: the package manager would compile the tool and all
    // its modules a second time, as if for another machine, in every build of this package.
    let build = try packageManager.build(.product("interlock"), parameters: .init())
    guard build.succeeded,
      let tool = build.builtArtifacts.first(where: { $0.url.lastPathComponent == "interlock" })
    else { return Diagnostics.error("'interlock' cannot be built:\n\(build.logText)") }
    let process = Process()
    process.executableURL = tool.url
    process.arguments =
      Array(arguments.prefix(1)) + additions(to: arguments, in: context.package)
      + arguments.dropFirst()
    process.currentDirectoryURL = context.package.directoryURL
    try process.run()
    process.waitUntilExit()
    let status = process.terminationStatus
    guard process.terminationReason == .exit else {
      return Diagnostics.error("'interlock' was ended by signal \(status)")
    }
    if status == 0 { return }
    let isOfHunt = arguments.first == "hunt" && status == 1
    let reason = isOfHunt ? ": a test failed, or none was explored" : ""
    Diagnostics.error("'interlock' ended with code \(status)\(reason)")
  }

  /// Why the tests of the package cannot be hunted. The command reports the same mistake, but only
  /// after it is built.
  private static func mistake(in arguments: [String], _ package: Package) -> String? {
    let isOfOther = arguments.contains { $0.hasPrefix("--package-path") }
    guard arguments.first == "hunt", !isOfOther else { return nil }
    let product = "InterlockTesting"
    let tests = package.targets.filter { ($0 as? any SourceModuleTarget)?.kind == .test }
    guard let first = tests.first,
      !tests.contains(where: { $0.recursiveTargetDependencies.contains { $0.name == product } })
    else { return nil }
    return "No test target links \(product): add this product of Interlock to the dependencies of"
      + " \(first.name) in Package.swift"
  }

  /// The dependency that has the command.
  private static func dependency(of package: Package) -> PackageDependency? {
    package.dependencies.first { dependency in
      dependency.package.products.contains { $0.name == "interlock" }
    }
  }

  /// Arguments that only the plug-in can give: `--ignore-lock`, because this process of SwiftPM
  /// holds the lock of the build folder and changes nothing meanwhile; and for `init`, the folder
  /// of Interlock.
  private func additions(to arguments: [String], in package: Package) -> [String] {
    if arguments.first == "hunt" { return ["--ignore-lock"] }
    guard arguments.first == "init" else { return [] }
    if arguments.contains("--interlock") { return ["--ignore-lock"] }
    let found = Self.dependency(of: package)
    return ["--ignore-lock"] + (found.map { ["--interlock", $0.package.directoryURL.path] } ?? [])
  }
}
