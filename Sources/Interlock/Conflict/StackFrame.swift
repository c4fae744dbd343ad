/// A frame of a call stack, with as many symbols as are known.
public struct StackFrame: Sendable, Hashable, Codable {
  /// The return address, in the process that captured it.
  public var address: UInt
  /// The demangled function; `nil` if no symbol covers the address.
  public var function: String?
  /// The path of the source file; `nil` without debug information.
  public var file: String?
  /// The line in `file`, from 1.
  public var line: Int?
  /// The file name of the binary image that holds the address.
  public var image: String?

  /// Describes a frame.
  public init(
    address: UInt, function: String? = nil, file: String? = nil, line: Int? = nil,
    image: String? = nil
  ) {
    self.address = address
    self.function = function
    self.file = file
    self.line = line
    self.image = image
  }
}

extension StackFrame {
  /// The full name of a function. The toolchain omits the module, which is the only context of a
  /// closure in top-level code.
  package static func functionName(_ demangled: String) -> String {
    demangled.hasSuffix(" in ") ? demangled + "top-level code" : demangled
  }
}

extension StackFrame: CustomStringConvertible {
  /// `function  File.swift:12`, or the parts of it that are known.
  public var description: String {
    let name = function ?? "0x" + String(address, radix: 16)
    // The compiler gives generated code line 0 or no file.
    if let file, let line, line > 0 {
      let base = file.split(separator: "/").last.map(String.init) ?? file
      return "\(name)  \(base):\(line)"
    }
    return image.map { "\(name)  (\($0))" } ?? name
  }
}
