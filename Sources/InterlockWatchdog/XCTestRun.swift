import CMarks
import CInterlockAnalysis
import Foundation
import Interlock

/// A test of XCTest that has begun and not ended.
struct XCTestRun: CustomStringConvertible {
  /// The address of its test case.
  let id: UInt
  /// `XCHangs.testRelock`
  let name: String
  /// The class of its test case.
  let type: AnyClass

  /// `XCHangs.testRelock (XCHangs.swift:7)`
  var description: String {
    guard let place = XCTestPlace(of: name, in: type) else { return name }
    let file = place.path.split(separator: "/").last ?? ""
    return "\(name) (\(file):\(place.line))"
  }
}

/// The place where a test of XCTest is declared. XCTest gives no line for a test that did not fail,
/// but the executable has a symbol of the method and the line of its first instruction.
package struct XCTestPlace {
  /// The path of the file, and the line.
  package let path: String
  package let line: Int

  /// Looks for the method of a test, `XCHangs.testRelock`; `nil` if its line is not known.
  package init?(of name: String, in type: AnyClass) {
    let method = name.split(separator: ".").last ?? ""
    // Look in the class itself, then in its superclasses, from which it may inherit the method.
    for type in sequence(first: type, next: { _getSuperclass($0) }) {
      guard let start = Self.start(of: method, in: type) else { continue }
      // Add 1: symbolication expects a return address, which lies behind its instruction.
      let frame = symbolicate([start + 1]).first
      guard let path = frame?.file, let line = frame?.line, line > 0 else { return nil }
      self.path = path
      self.line = line
      return
    }
    return nil
  }

  /// The first address of a method without parameters; `nil` if the executable has no symbol of it.
  private static func start(of method: Substring, in type: AnyClass) -> UInt? {
    guard let mangled = _mangledTypeName(type) else { return nil }
    let prefix = "$s" + mangled
    let declaration = "\(String(reflecting: type)).\(method)()"
    var index = 0
    while let symbol = interlock_code_next_mention(prefix, prefix, &index) {
      var function = interlock_code_function()
      guard interlock_code_function_at(index - 1, &function),
        let text = interlock_demangled(symbol)
      else { continue }
      defer { free(text) }
      var shown = Substring(String(cString: text))
      if shown.hasPrefix("(extension in "), let end = shown.firstIndex(of: ":") {
        shown = shown[end...].dropFirst()
      }
      if shown.hasPrefix(declaration) { return function.start }
    }
    return nil
  }
}
