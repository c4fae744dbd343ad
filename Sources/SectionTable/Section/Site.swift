/// A source line, by the addresses of its literals. For the fast path.
package struct Site {
  package var file: UInt
  package var fileLength: UInt
  package var function: UInt
  package var functionLength: UInt
  package var line: UInt

  /// Creates a site from C strings that are never freed.
  @inline(__always)
  package init(cFile: UnsafePointer<CChar>, cFunction: UnsafePointer<CChar>, line: UInt) {
    file = UInt(bitPattern: cFile)
    fileLength = Record.cString
    function = UInt(bitPattern: cFunction)
    functionLength = Record.cString
    self.line = line
  }
}
