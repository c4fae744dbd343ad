/// The style of a comparison's page in addition to `PageStyle`, and the script that sorts its
/// table.
enum ComparisonStyle {
  /// Sorts the table of all figures by the column whose button was pressed. Without the script the
  /// table is not sorted.
  ///
  /// It contains no ampersand and no less-than sign, which XML and HTML read differently in a
  /// script.
  static let script = """
    for (const table of document.querySelectorAll("table.sortable")) {
      const heads = [...table.tHead.rows[0].cells];
      heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach(other => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const key = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
        const rows = [...table.tBodies[0].rows].sort((one, other) => {
          const [a, b] = [key(one), key(other)];
          const isText = a === "" || b === "" || isNaN(a) || isNaN(b);
          const order = isText ? a.localeCompare(b) : a - b;
          return up ? order : -order;
        });
        table.tBodies[0].append(...rows);
      }));
    }
    """

  /// The SHA-256 of `script`, in Base64.
  static let scriptHash = "jcIE2ywpk6IOsRbt4qdJVYiAdsYRnJRrKFZiwX0wDvk="

  /// The content security policy, which allows only this style, and the script by its hash.
  static let policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-\(scriptHash)'; "
    + "base-uri 'none'; form-action 'none'"

  /// The number of distinct colours. Later strategies reuse them with another line style.
  static let colours = 12

  /// A colour for each strategy, with a contrast of at least 3 to 1 against the page (4.5 for
  /// text), and the layout of charts.
  static let css = """
    :root {
      --s0: #0a58ca; --s1: #b3261e; --s2: #17692f; --s3: #8a4b00; --s4: #7b3fbf; --s5: #006d77;
      --s6: #b0187d; --s7: #5c6670; --s8: #6b6300; --s9: #c2410c; --s10: #1e3a8a; --s11: #1b1f24;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --s0: #7db4ff; --s1: #ff8a80; --s2: #6fce8b; --s3: #e0a458; --s4: #c6a2ff; --s5: #5fd0da;
        --s6: #ff8ad8; --s7: #a3adb8; --s8: #d6cc5a; --s9: #ff9d66; --s10: #9fb4ff; --s11: #e6e9ed;
      }
    }
    figure { margin: 1.5rem 0; }
    figcaption { font-weight: 600; margin-bottom: 0.25rem; }
    .chart { min-width: 40rem; width: 100%; height: auto; }
    .chart .axis { fill: none; stroke: var(--line); }
    .chart .tick { fill: var(--soft); font-size: 11px; }
    .chart .middle { text-anchor: middle; } .chart .end { text-anchor: end; }
    .chart .line { fill: none; stroke-width: 2; }
    .chart .whisker { fill: none; stroke-width: 1; opacity: 0.8; }
    .chart .tile { stroke: var(--page); stroke-width: 2; }
    .chart .name { font-weight: 600; } .chart .note { font-size: 11px; }
    ul.key { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
    ul.key svg { display: inline-block; vertical-align: middle; }
    td.number, th.number { text-align: right; }
    th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; \
    padding: 0; cursor: pointer; text-decoration: underline dotted; }
    th[aria-sort="ascending"] button::after { content: " ▲"; } \
    th[aria-sort="descending"] button::after { content: " ▼"; }
    .facts dt { float: left; clear: left; width: 11rem; color: var(--soft); } \
    .facts dd { margin-left: 11.5rem; }
    @page { size: A4 landscape; margin: 12mm; }
    @media print {
      :root {
        --page: #ffffff; --text: #000000; --soft: #444444; --line: #999999; --box: #ffffff;
        --s0: #0a58ca; --s1: #b3261e; --s2: #17692f; --s3: #8a4b00; --s4: #7b3fbf; --s5: #006d77;
        --s6: #b0187d; --s7: #5c6670; --s8: #6b6300; --s9: #c2410c; --s10: #1e3a8a; --s11: #1b1f24;
      }
      figure, tr { break-inside: avoid; } body { max-width: none; font-size: 10pt; }
      .chart { min-width: 0; } table { font-size: 8pt; } \
    figure details:not([open]) { display: none; }
      th, td { white-space: normal; padding-right: 0.3rem; }
      td:first-child { min-width: 14rem; } th button { text-decoration: none; }
    }
    """

  /// The style of a strategy's line, by its number.
  static func series(_ number: Int) -> String {
    let dashes = number >= colours ? "; stroke-dasharray: 6 3" : ""
    return "stroke: var(--s\(number % colours))\(dashes)"
  }

  /// The fill of a strategy's marks.
  static func fill(_ number: Int) -> String { "fill: var(--s\(number % colours))" }

  /// A mark that distinguishes strategies without colour: six shapes, and hollow after that.
  static func mark(_ number: Int, x: Double, y: Double) -> String {
    let (px, py) = (Markup.number(x), Markup.number(y))
    func path(_ points: [(Double, Double)]) -> String {
      "<path d=\"M"
        + points.map { "\(Markup.number(x + $0.0)) \(Markup.number(y + $0.1))" }
        .joined(separator: "L") + "Z\""
    }
    let shape =
      switch number % 6 {
      case 0: "<circle cx=\"\(px)\" cy=\"\(py)\" r=\"4\""
      case 1: path([(-4, -4), (4, -4), (4, 4), (-4, 4)])
      case 2: path([(0, -5), (5, 4), (-5, 4)])
      case 3: path([(0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)])
      case 4: path([(0, 5), (5, -4), (-5, -4)])
      default: path([(-5, -2), (-2, -5), (5, 2), (2, 5)])
      }
    let isHollow = number % 12 >= 6
    let style = isHollow ? "fill: var(--page); stroke-width: 2; \(series(number))" : fill(number)
    return shape + " style=\"\(style)\"/>"
  }
}
