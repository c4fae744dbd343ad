/// The layers of a graph: the nodes and the crossing edges of each layer, in their order.
struct GraphLayers {
  typealias Link = GraphLayout.Link

  /// The most places for edges that cross a layer; further edges run straight.
  private static let mostLanes = 4000
  /// The number of passes that order and align the layers.
  private static let orderings = 8
  private static let moves = 24

  /// Nodes by number, then the places of crossing edges, in the order of each layer.
  private(set) var layers: [[Int]] = []
  /// The layer of each node and place.
  private(set) var layerOf: [Int]
  /// The nodes and places on each edge, from the upper layer to the lower one; `nil` for an edge
  /// from a node to itself.
  private(set) var paths: [[Int]?] = []
  /// True for each edge that runs against the direction of the layers.
  let isTurned: [Bool]
  /// The numbers below this one are nodes.
  let nodeCount: Int

  /// The neighbours of each node and place, above and below.
  private var above: [[Int]] = []
  private var below: [[Int]] = []

  init(nodes count: Int, links: [Link]) {
    nodeCount = count
    isTurned = Self.turned(count, links)
    layerOf = Self.depths(count, links, isTurned)
    var lanes = 0
    for (number, link) in links.enumerated() {
      guard link.from != link.to else {
        paths.append(nil)
        continue
      }
      let (start, end) = isTurned[number] ? (link.to, link.from) : (link.from, link.to)
      var path = [start]
      let passed = layerOf[start] + 1..<max(layerOf[start] + 1, layerOf[end])
      if lanes + passed.count <= Self.mostLanes {
        lanes += passed.count
        for layer in passed {
          path.append(layerOf.count)
          layerOf.append(layer)
        }
      }
      paths.append(path + [end])
    }
    layers = Array(repeating: [], count: (layerOf.max() ?? -1) + 1)
    for (item, layer) in layerOf.enumerated() { layers[layer].append(item) }
    above = Array(repeating: [], count: layerOf.count)
    below = above
    for case let path? in paths {
      for (upper, lower) in zip(path, path.dropFirst()) {
        below[upper].append(lower)
        above[lower].append(upper)
      }
    }
  }

  /// The edges that close a cycle, found by depth-first search.
  private static func turned(_ count: Int, _ links: [Link]) -> [Bool] {
    var turned = Array(repeating: false, count: links.count)
    var outgoing: [[Int]] = Array(repeating: [], count: count)
    for (number, link) in links.enumerated() where link.from != link.to {
      outgoing[link.from].append(number)
    }
    var state = Array(repeating: 0, count: count)
    // Start at nodes without incoming edges, so that a waiting thread is above its object.
    let targets = Set(links.lazy.filter { $0.from != $0.to }.map(\.to))
    let starts = (0..<count).filter { !targets.contains($0) } + (0..<count)
    for start in starts where state[start] == 0 {
      var path: [(node: Int, next: Int)] = [(start, 0)]
      state[start] = 1
      while let (node, next) = path.last {
        guard next < outgoing[node].count else {
          state[node] = 2
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let link = outgoing[node][next]
        let target = links[link].to
        if state[target] == 1 {
          turned[link] = true
        } else if state[target] == 0 {
          state[target] = 1
          path.append((target, 0))
        }
      }
    }
    return turned
  }

  /// The length of the longest path to each node, along edges that close no cycle.
  private static func depths(_ count: Int, _ links: [Link], _ turned: [Bool]) -> [Int] {
    var outgoing: [[Int]] = Array(repeating: [], count: count)
    var waiting = Array(repeating: 0, count: count)
    for (number, link) in links.enumerated() where link.from != link.to {
      let (start, end) = turned[number] ? (link.to, link.from) : (link.from, link.to)
      outgoing[start].append(end)
      waiting[end] += 1
    }
    var depth = Array(repeating: 0, count: count)
    var ready = (0..<count).filter { waiting[$0] == 0 }
    while let node = ready.popLast() {
      for end in outgoing[node] {
        depth[end] = max(depth[end], depth[node] + 1)
        waiting[end] -= 1
        if waiting[end] == 0 { ready.append(end) }
      }
    }
    return depth
  }

  /// Orders each layer by the mean position of its neighbours, alternating down and up.
  mutating func order() {
    var place = Array(repeating: 0.0, count: layerOf.count)
    func note(_ layer: [Int]) {
      for (index, item) in layer.enumerated() {
        place[item] = Double(index) - Double(layer.count - 1) / 2
      }
    }
    for layer in layers { note(layer) }
    for sweep in 0..<Self.orderings {
      let isDown = sweep % 2 == 0
      for number in isDown ? Array(layers.indices) : layers.indices.reversed() {
        let neighbours = isDown ? above : below
        let wanted = layers[number].map { item in
          Self.mean(neighbours[item].map { place[$0] }) ?? place[item]
        }
        let order = layers[number].indices.sorted { (wanted[$0], $0) < (wanted[$1], $1) }
        layers[number] = order.map { layers[number][$0] }
        note(layers[number])
      }
    }
  }

  /// The centre of each node and crossing edge along its layer, measured from the margin. Minimum
  /// distances are kept.
  func centers(_ measures: GraphLayout.Measures) -> [Double] {
    var centers = Array(repeating: 0.0, count: layerOf.count)
    for layer in layers {
      var x = 0.0
      for item in layer {
        centers[item] = x + width(item, measures) / 2
        x += width(item, measures) + measures.gap
      }
      // Centre all layers on one line at first.
      for item in layer { centers[item] -= (x - measures.gap) / 2 }
    }
    for sweep in 0..<Self.moves {
      for layer in sweep % 2 == 0 ? layers : layers.reversed() {
        let wanted = layer.map {
          Self.mean((above[$0] + below[$0]).map { centers[$0] }) ?? centers[$0]
        }
        let placed = spread(layer, wanted, measures)
        for (item, x) in zip(layer, placed) { centers[item] = x }
      }
    }
    let left = centers.indices.map { centers[$0] - width($0, measures) / 2 }.min() ?? 0
    return centers.map { $0 - left + measures.margin }
  }

  /// The length of a node or a crossing edge along its layer.
  func width(_ item: Int, _ measures: GraphLayout.Measures) -> Double {
    item < nodeCount ? measures.breadth : measures.laneWidth
  }

  /// Positions near the wanted ones that keep order and distance. They are the mean of two layouts:
  /// one moves nodes only to the right, the other only to the left.
  private func spread(
    _ layer: [Int], _ wanted: [Double], _ measures: GraphLayout.Measures
  ) -> [Double] {
    func distance(_ index: Int) -> Double {
      (width(layer[index], measures) + width(layer[index + 1], measures)) / 2 + measures.gap
    }
    var right = wanted
    var left = wanted
    for index in right.indices.dropFirst() {
      right[index] = max(right[index], right[index - 1] + distance(index - 1))
    }
    for index in left.indices.dropLast().reversed() {
      left[index] = min(left[index], left[index + 1] - distance(index))
    }
    return zip(right, left).map { ($0 + $1) / 2 }
  }

  private static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}
