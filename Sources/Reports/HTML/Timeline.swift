import HangReports
import Hangs

/// A picture of the threads' activity up to a snapshot: a row for each thread, and a bar for each
/// span of time.
///
/// Running is solid and waiting is hatched. The colours only repeat that.
struct Timeline {
  private typealias Span = WaitSnapshot.Activity.Span

  /// The left and right ends of the bars, in per cent of the page's width.
  private static let left = 2.0
  private static let right = 95.0
  /// The height of a thread's name and its bars.
  private static let rowHeight = 44.0
  private static let nameHeight = 18.0
  private static let top = 8.0
  /// The narrowest bar, in per cent, for very short spans.
  private static let narrowest = 0.4
  /// The number of characters that fit into a full-width bar on a narrow page.
  private static let characters = 52.0
  private static let nameLength = 48

  private let activity: [WaitSnapshot.Activity]
  private let diagnosis: Explanation
  private let prefix: String
  private let total: Double

  /// Lays out the activity.
  ///
  /// - Parameters:
  ///   - activity: The threads.
  ///   - diagnosis: The diagnosis, which names the threads.
  ///   - prefix: A prefix for the ids of this picture's parts.
  init(_ activity: [WaitSnapshot.Activity], _ diagnosis: Explanation, prefix: String) {
    self.activity = activity
    self.diagnosis = diagnosis
    self.prefix = prefix
    let first = activity.flatMap(\.spans).map(\.from).filter(\.isFinite).max() ?? 0
    total = min(max(0.01, first), 1e6)
  }

  /// The legend of the bars.
  let legend = """
    <p class="legend"><span class="sample running"></span> runs, or is in a system call; \
    <span class="sample waiting"></span> waits, for what its bar says. The right end is the time \
    of the hang.</p>

    """

  /// The picture as an element of a page.
  var svg: String {
    let rows = Double(activity.count) * Self.rowHeight
    let height = Markup.number(Self.top + rows + 42)
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" class="timeline" width="100%" height="\(height)" \
      role="img" aria-labelledby="\(prefix)-time-title \(prefix)-time-desc">
      <title id="\(prefix)-time-title">What the threads did up to the hang</title>
      <desc id="\(prefix)-time-desc">\(Markup.text(description))</desc>
      <defs><pattern id="\(prefix)-hatch" width="6" height="6" patternUnits="userSpaceOnUse" \
      patternTransform="rotate(45)"><rect width="6" height="6" class="waiting"/>\
      <rect width="2" height="6" class="hatch"/></pattern></defs>

      """
    text += axis(below: Self.top + rows)
    for (number, row) in activity.enumerated() {
      text += self.row(row, at: Self.top + Double(number) * Self.rowHeight)
    }
    return text + "</svg>\n"
  }

  /// The picture's content as text: how each thread ended.
  private var description: String {
    let rows = activity.prefix(20).map { row in
      "\(name(row.thread)): \(row.spans.last.map(words) ?? "not seen")"
    }
    let rest = activity.count - rows.count
    return "In the end: " + rows.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
  }

  private func row(_ row: WaitSnapshot.Activity, at y: Double) -> String {
    let title = name(row.thread)
    var text = """
      <g><text class="name" x="0" \
      y="\(Markup.number(y + 13))">\(Markup.text(Markup.cut(title, to: Self.nameLength)))\
      <title>\(Markup.text(title))</title></text>

      """
    for span in row.spans where span.from.isFinite && span.to.isFinite {
      let start = x(span.from)
      let width = max(Self.narrowest, x(span.to) - start)
      let fill =
        span.kind == nil ? "class=\"running\"" : "class=\"bar\" fill=\"url(#\(prefix)-hatch)\""
      let height = Markup.number(Self.rowHeight - Self.nameHeight - 6)
      let label = Markup.cut(words(span), to: Int(width / 100 * Self.characters) - 1)
      let detail = """
        \(words(span)), from \(Self.seconds(span.from)) to \(Self.seconds(span.to)) before the hang
        """
      text += """
        <svg x="\(Self.percent(start))" y="\(Markup.number(y + Self.nameHeight))" \
        width="\(Self.percent(width))" height="\(height)">\
        <title>\(Markup.text(detail))</title><rect width="100%" height="\(height)" \(fill)/>\
        \(label.count > 5 ? "<text class=\"on-bar\" x=\"5\" y=\"14\">\(Markup.text(label))</text>" : "")\
        </svg>

        """
    }
    return text + "</g>\n"
  }

  private func axis(below y: Double) -> String {
    let line = Markup.number(y + 4)
    var text = """
      <line class="axis" x1="\(Self.percent(Self.left))" x2="\(Self.percent(Self.right))" \
      y1="\(line)" y2="\(line)"/>

      """
    let step = Self.step(total)
    var tick = 0
    while Double(tick) * step <= total * 1.0001 {
      let seconds = Double(tick) * step
      let place = Self.percent(x(seconds))
      let label = tick == 0 ? "hang" : "−\(Self.seconds(seconds))"
      text += """
        <line class="axis" x1="\(place)" x2="\(place)" y1="\(Markup.number(Self.top))" \
        y2="\(Markup.number(y + 9))"/>\
        <text class="tick" x="\(place)" y="\(Markup.number(y + 24))">\(label)</text>

        """
      tick += 1
    }
    return text
  }

  private func x(_ seconds: Double) -> Double {
    Self.left + (Self.right - Self.left) * (1 - min(max(0, seconds), total) / total)
  }

  private static func percent(_ value: Double) -> String { Markup.number(value) + "%" }

  /// A step of 1, 2 or 5 times a power of ten that divides the total into three to five parts.
  private static func step(_ total: Double) -> Double {
    var step = 0.001
    while true {
      for factor in [1.0, 2, 5] where total / (step * factor) <= 5 { return step * factor }
      step *= 10
    }
  }

  private func name(_ thread: Int) -> String {
    let id = Diagnosis.Node.ID.party(.thread(thread)).description
    return diagnosis.nodes.first { $0.id == id && $0.count == 1 }?.title ?? "thread \(thread)"
  }

  private func words(_ span: WaitSnapshot.Activity.Span) -> String {
    guard let kind = span.kind else { return "runs" }
    let address = String(span.object, radix: 16)
    let ids: [Diagnosis.Node.ID] = [
      .object(span.object), .queue(span.object), .party(.task(span.object)),
    ]
    let names = ids.map(\.description)
    let node = diagnosis.nodes.first { names.contains($0.id) }
    if let node { return "waits for " + (kind == .thread ? "the end of " : "") + node.title }
    // Leave out a thread's address: it means nothing to a reader.
    return "waits for "
      + (kind == .thread ? "the end of a thread" : Self.name(kind) + " 0x" + address)
  }

  private static func name(_ kind: WaitSnapshot.ObjectKind) -> String {
    switch kind {
    case .readLock, .writeLock: "read-write lock"
    case .swiftMutex: "Mutex"
    case .initializer: "initialiser"
    case .stream: "stream"
    case .task: "task"
    case .actor: "actor"
    case .taskGroup: "task group"
    case .workItem: "work item"
    default: kind.rawValue
    }
  }

  /// `0.24 s`, with as many decimals as needed.
  private static func seconds(_ value: Double) -> String {
    let thousandths = Int((min(max(0, value), 1e12) * 1000).rounded())
    let (whole, part) = thousandths.quotientAndRemainder(dividingBy: 1000)
    var digits = String(part)
    digits = String(repeating: "0", count: 3 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return digits.isEmpty ? "\(whole) s" : "\(whole).\(digits) s"
  }
}
