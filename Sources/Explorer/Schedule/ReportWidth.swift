internal import Foundation

/// The most characters in a row of a report.
enum ReportWidth {
  /// `COLUMNS` if it is set, otherwise the terminal's width; 120 for a file or a pipe.
  static var current: Int {
    var columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 0
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] where columns == 0 {
      var size = winsize()
      if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 { columns = Int(size.ws_col) }
    }
    return columns == 0 ? 120 : max(columns, 40)
  }
}
