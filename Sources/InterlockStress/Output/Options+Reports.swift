extension Options {
  /// Where the results are written as JSON; `-` is standard output.
  package var jsonFile: String? {
    get { reportFiles["json"] }
    set { reportFiles["json"] = newValue }
  }

  /// Where the results are written as a page when the run is over; `nil` is nowhere.
  package var htmlFile: String? {
    get { reportFiles["html"] }
    set { reportFiles["html"] = newValue }
  }
}
