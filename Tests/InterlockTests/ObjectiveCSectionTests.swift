#if os(Linux)
import Foundation
import Testing

/// Marks in Objective-C: compiled alone, for an Apple system, because Linux has no Foundation for
/// Objective-C to run them with.
struct ObjectiveCSectionTests {
  /// The part of Foundation that `interlock.h` uses.
  private static let foundation = """
    #include <stdarg.h>
    @interface NSObject
    + (instancetype)alloc;
    - (void)release;
    @end
    @interface NSString : NSObject
    - (instancetype)initWithFormat:(NSString *)format arguments:(va_list)arguments;
    - (const char *)UTF8String __attribute__((objc_returns_inner_pointer));
    @end
    """

  private static let header = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/CMarks/include/interlock.h")

  /// Compiles the statements in a function; returns the compiler's errors.
  private func errors(_ statements: String, _ arguments: [String]) throws -> String {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "objective-c-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "Foundation"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Self.foundation.write(
      to: folder.appending(path: "Foundation/NSString.h"), atomically: true, encoding: .utf8)
    let source = """
      #import "Foundation/NSString.h"
      #include "\(Self.header.path)"
      void use(NSString *user, int id);
      void use(NSString *user, int id) {
        (void)user;
        (void)id;
        \(statements)
      }
      """
    let file = folder.appending(path: "source.m")
    try source.write(to: file, atomically: true, encoding: .utf8)
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments =
      ["clang", "--target=arm64-apple-macosx13", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
      + ["-Wno-format-security", "-I", folder.path] + arguments + [file.path]
    let output = Pipe()
    compiler.standardError = output
    try compiler.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    compiler.waitUntilExit()
    return String(decoding: text, as: UTF8.self)
  }

  @Test(
    "In Objective-C a section's name is an NSString or a C string, each with its arguments",
    arguments: [
      ["-x", "objective-c", "-fobjc-arc"], ["-x", "objective-c", "-fno-objc-arc"],
      ["-x", "objective-c++", "-fobjc-arc"], ["-x", "objective-c++", "-fno-objc-arc"],
    ], [0, 1])
  func names(_ language: [String], _ production: Int) throws {
    let statements = """
      BEGIN_LOCK(LOCK_NO_WRITE, @"users");
      BEGIN_SYNCHED_LOCK(LOCK_NOREADWRITE, @"users.%d.%@", id, user);
      BEGIN_LOCK(LOCK_NOWRITE, user);
      BEGIN_LOCK(LOCK_NO_WRITE, "users.%d", id);
      BEGIN_LOCK_PART(LOCK_NO_WRITE, "part", @"users.%d", id);
      BEGIN_SYNCHED_LOCK_PART(LOCK_NO_WRITE, "part", "users.%d", id);
      END_LOCK_PART(LOCK_NO_WRITE, "part", "users.%d", id);
      END_LOCK_PART(LOCK_NO_WRITE, "part", @"users.%d", id);
      END_LOCK(LOCK_NO_WRITE, @"users.%d", id);
      END_LOCK(LOCK_NOWRITE, "users.%d", id);
      """
    #expect(try errors(statements, language + ["-DIN_PRODUCTION=\(production)"]) == "")
  }

  @Test(
    "In Objective-C the compiler checks the arguments of a section's name",
    arguments: [
      #"BEGIN_LOCK(LOCK_NO_WRITE, @"users.%d", user)"#,
      #"END_LOCK(LOCK_NO_WRITE, @"users.%@", id)"#,
      #"BEGIN_LOCK_PART(LOCK_NO_WRITE, "part", @"users.%@", id)"#,
      #"END_LOCK_PART(LOCK_NO_WRITE, "part", @"users.%d", user)"#,
      #"BEGIN_LOCK(LOCK_NO_WRITE, id)"#,
    ])
  func wrongArguments(_ statement: String) throws {
    let text = try errors(statement + ";", ["-x", "objective-c", "-DIN_PRODUCTION=0"])
    #expect(text.contains("format specifies type") || text.contains("no matching function"))
  }
}
#endif
