extension Options {
  /// The file for the results as JSON; `-` is standard output.
  package var jsonFile: String? {
    get { reportFiles["json"] }
    set { reportFiles["json"] = newValue }
  }

  /// The file for the results as a page, written when the run is over; `nil` for none.
  package var htmlFile: String? {
    get { reportFiles["html"] }
    set { reportFiles["html"] = newValue }
  }
}
