extension Diagnosis {
  /// A node of the wait-for graph: a thread, a lock, a queue or a pool. Threads with equal waits
  /// share a node.
  package struct Node: Sendable, Hashable, Codable {
    /// What a node stands for.
    package enum Kind: String, Sendable, Hashable, Codable {
      case thread, lock, queue, semaphore, group, condition, pool, task, blocks, other
    }

    /// The identity of a node: its first thread, or its object.
    package enum ID: Sendable, Hashable, Codable {
      case party(Party)
      case object(WaitSnapshot.ObjectID)
      case queue(WaitSnapshot.ObjectID)
      case blocks(queue: WaitSnapshot.ObjectID, position: Int)
      case rest
    }

    /// The threads or the object that a node stands for.
    package enum Subject: Sendable, Hashable, Codable {
      /// Threads, or tasks, with equal waits; at least one.
      case parties([Party])
      /// A lock, a signal or a task.
      case object(Object)
      /// A queue or a pool.
      case queue(WaitSnapshot.ObjectID)
      /// Queued blocks from one place, by their position in the queue's list.
      case blocks(queue: WaitSnapshot.ObjectID, position: Int)
      /// Nodes that are left out of a graph that is too large.
      case rest
    }

    /// The threads or the object that the node stands for.
    package var subject: Subject
    /// The kind of the subject.
    package var kind: Kind
    /// The number of threads with equal stacks that wait for one object, or of queued blocks from
    /// one place.
    package var count: Int
    /// True if the node belongs to the cycle or the dry pool.
    package var isMarked: Bool

    /// Describes a node.
    package init(subject: Subject, kind: Kind, count: Int = 1, isMarked: Bool = false) {
      self.subject = subject
      self.kind = kind
      self.count = count
      self.isMarked = isMarked
    }

    /// The node's identifier in the graph.
    package var id: ID {
      switch subject {
      case .parties(let parties): parties.first.map { .party($0) } ?? .rest
      case .object(let object): .object(object.id)
      case .queue(let queue): .queue(queue)
      case .blocks(let queue, let position): .blocks(queue: queue, position: position)
      case .rest: .rest
      }
    }
  }

  /// A dependency between two nodes.
  package struct Edge: Sendable, Hashable, Codable {
    /// How the first node depends on the second.
    package enum Relation: Sendable, Hashable, Codable, CaseIterable {
      /// A thread waits for an object.
      case waitsFor
      /// A thread runs a part of `concurrentPerform`, and waits for the others.
      case worksOn
      /// A thread holds an object.
      case heldBy
      /// A queue's block, or an actor's code, runs on a thread; or a queue's blocks run on its
      /// target.
      case runsOn
      /// A task made the tasks of a group.
      case made
      /// A thread belongs to a pool.
      case threadOf
      /// Blocks are queued on a queue.
      case queuedOn
      /// A queue's blocks need a thread of a pool.
      case needsThreadOf
    }

    /// The node that waits.
    package var from: Node.ID
    /// The node that it waits for.
    package var to: Node.ID
    /// How the first node depends on the second.
    package var relation: Relation
    /// True if the edge belongs to the cycle.
    package var isMarked: Bool

    /// Describes an edge.
    package init(from: Node.ID, to: Node.ID, relation: Relation, isMarked: Bool = false) {
      self.from = from
      self.to = to
      self.relation = relation
      self.isMarked = isMarked
    }
  }
}

extension Diagnosis.Node.ID: CustomStringConvertible {
  /// `t4711`, `o0x7f…`, `q0x7f…`, `b0x7f…-0`: the identifier in reports.
  package var description: String {
    switch self {
    case .party(.thread(let number)): "t\(number)"
    case .party(.task(let address)): "t\(address)"
    case .object(let id): "o0x" + String(id, radix: 16)
    case .queue(let id): "q0x" + String(id, radix: 16)
    case .blocks(let id, let position): "b0x" + String(id, radix: 16) + "-\(position)"
    case .rest: "more"
    }
  }
}
