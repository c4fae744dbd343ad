/// A file at the top of this module's folder. Its path identifies the module's code on a stack.
package enum SectionTableFile {
  /// The name of the module and the file.
  package static var id: String { #fileID }
  /// The absolute path.
  package static var path: String { #filePath }
}
