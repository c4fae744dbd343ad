import Findings

extension SendableMatrix {
  /// The matrix as a page that needs no network.
  public var html: String {
    let head = operations.map { "<th scope=col>\(XMLText.escaped($0))</th>" }.joined()
    let rows = operations.indices.map { row in
      let cells = operations.indices.map { column in
        guard row <= column else { return "<td></td>" }
        guard let pair = self[operations[row], operations[column]] else { return "<td>-</td>" }
        let lines = XMLText.escaped(lines: pair.lines)
        return "<td class=\(pair.outcome.style)><b>\(pair.outcome.word)</b><pre>\(lines)</pre></td>"
      }
      return "<tr><th scope=row>\(XMLText.escaped(operations[row]))</th>\(cells.joined())</tr>"
    }
    return """
      <!DOCTYPE html>
      <html lang=en><meta charset=utf-8><title>\(XMLText.escaped(type))</title>
      <meta name=viewport content="width=device-width">
      <style>
      :root { color-scheme: light dark; font-family: system-ui, sans-serif }
      td, th { border: 1px solid #8888; padding: .5em; text-align: left; vertical-align: top }
      table { border-collapse: collapse } pre { margin: .2em 0; white-space: pre-wrap }
      .conflict { background: #d338 } .safe { background: #3a38 }
      .unobservable { background: #8884 }
      </style>
      <h1>\(XMLText.escaped(headline))</h1>
      <table><tr><td></td>\(head)</tr>
      \(rows.joined(separator: "\n"))
      </table>
      <pre>\(XMLText.escaped(lines: legend))</pre>

      """
  }
}

extension SendableMatrix.Outcome {
  /// The CSS class of the outcome's cell.
  fileprivate var style: String {
    switch self {
    case .safe: "safe"
    case .noConflictSeen: isChecked ? "unseen" : "unobservable"
    case .conflict: "conflict"
    case .unobservable: "unobservable"
    }
  }
}
