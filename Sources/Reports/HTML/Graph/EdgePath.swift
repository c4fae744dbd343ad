/// The line of an edge between two boxes, and the position of its label.
enum EdgePath {
  typealias Point = GraphLayout.Point

  private static let measures = GraphLayout.Measures()

  /// The rectangle of a label.
  struct Box: Hashable {
    var middle: Point
    var width: Double
    static let height = 14.0

    /// True if two rectangles overlap.
    func overlaps(_ other: Box) -> Bool {
      abs(middle.x - other.middle.x) * 2 < width + other.width
        && abs(middle.y - other.middle.y) < Box.height
    }

    /// True if the rectangle contains a point.
    func covers(_ point: Point) -> Bool {
      abs(middle.x - point.x) * 2 < width && abs(middle.y - point.y) * 2 < Box.height
    }
  }

  /// The path's data: a curve from layer to layer, straight past the boxes.
  ///
  /// - Parameters:
  ///   - route: The points that the edge passes; empty for an edge from a node to itself.
  ///   - corner: The upper left corner of the node at which the edge begins.
  ///   - isSideways: True if layers are side by side.
  /// - Returns: The value of the attribute `d`.
  static func data(_ route: [Point], from corner: Point, isSideways: Bool) -> String {
    guard let first = route.first else {
      let right = corner.x + measures.nodeWidth
      let out = Markup.number(right + GraphLayout.loopWidth)
      let (upper, lower) = (corner.y + 18, corner.y + measures.nodeHeight - 18)
      return "M\(Markup.number(right)) \(Markup.number(upper))C\(out) \(Markup.number(upper)) "
        + "\(out) \(Markup.number(lower)) \(Markup.number(right)) \(Markup.number(lower))"
    }
    var text = "M\(pair(first))"
    for index in stride(from: 1, to: route.count, by: 2) {
      let (start, end) = (route[index - 1], route[index])
      let (one, two) = controls(start, end, isSideways)
      text += "C\(pair(one)) \(pair(two)) \(pair(end))"
      // Draw a straight line past a layer that the edge only crosses.
      if index + 1 < route.count { text += "L\(pair(route[index + 1]))" }
    }
    return text
  }

  /// The position of a label: on the curve between two layers, clear of other labels, and where the
  /// fewest other lines run.
  ///
  /// - Parameters:
  ///   - text: The label.
  ///   - route: The points that the label's edge passes; empty for an edge from a node to itself.
  ///   - corner: The upper left corner of the node at which the edge begins.
  ///   - isSideways: True if layers are side by side.
  ///   - taken: The rectangles of other labels.
  ///   - lines: Points of the other edges.
  /// - Returns: The label's rectangle.
  static func label(
    _ text: String, _ route: [Point], from corner: Point, isSideways: Bool, besides taken: [Box],
    lines: [Point] = []
  ) -> Box {
    let width = Double(text.count) * 6.2 + 8
    guard route.count > 1 else {
      let x = corner.x + measures.nodeWidth + GraphLayout.loopWidth / 2
      return Box(middle: Point(x: x, y: corner.y + measures.nodeHeight / 2), width: width)
    }
    var best = Box(middle: route[0], width: width)
    var least = Int.max
    for index in stride(from: 1, to: route.count, by: 2) {
      for part in [0.5, 0.36, 0.64, 0.25, 0.75] {
        let box = Box(
          middle: point(part, route[index - 1], route[index], isSideways), width: width)
        let cost =
          lines.count(where: box.covers) + 1000 * taken.count(where: box.overlaps)
        if cost == 0 { return box }
        if cost < least { (best, least) = (box, cost) }
      }
    }
    return best
  }

  /// Points of an edge's curves, so close together that no label fits between two of them.
  static func samples(_ route: [Point], isSideways: Bool) -> [Point] {
    stride(from: 1, to: route.count, by: 2).flatMap { index in
      (0...8).map { point(Double($0) / 8, route[index - 1], route[index], isSideways) }
    }
  }

  private static func controls(
    _ start: Point, _ end: Point, _ isSideways: Bool
  ) -> (Point, Point) {
    if isSideways {
      let half = (end.x - start.x) / 2
      return (Point(x: start.x + half, y: start.y), Point(x: end.x - half, y: end.y))
    }
    let half = (end.y - start.y) / 2
    return (Point(x: start.x, y: start.y + half), Point(x: end.x, y: end.y - half))
  }

  /// A point of the curve; `part` is from 0 to 1.
  private static func point(
    _ part: Double, _ start: Point, _ end: Point, _ isSideways: Bool
  ) -> Point {
    let (one, two) = controls(start, end, isSideways)
    let rest = 1 - part
    func value(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
      rest * rest * rest * a + 3 * rest * rest * part * b + 3 * rest * part * part * c
        + part * part * part * d
    }
    return Point(
      x: value(start.x, one.x, two.x, end.x), y: value(start.y, one.y, two.y, end.y))
  }

  private static func pair(_ point: Point) -> String {
    "\(Markup.number(point.x)) \(Markup.number(point.y))"
  }
}
