/// A file at the top of this module's folder, by which the module's code is known on a stack.
package enum SectionTableFile {
  /// The module and the file.
  package static var id: String { #fileID }
  /// The absolute path.
  package static var path: String { #filePath }
}
