import Dispatch
import Foundation

#if canImport(CInterlockMemory)
import CInterlockMemory
#endif

/// Runs a small program, written as users write theirs, and prints the processor time of one of its
/// turns in nanoseconds, a tab, and the most memory that the process had, in bytes. Without a name
/// it prints the names of the programs; with `off` behind the name, memory is not checked.
///
/// The package builds it with Interlock's memory check. `bench memory` has the compiler alone build
/// it plain and with ThreadSanitizer; that build finds no module of the package.
@main
struct YardstickMemory {
  static func main() async {
    guard let name = CommandLine.arguments.dropFirst().first else {
      for program in Program.all { print(program.name) }
      return
    }
    guard let program = Program.all.first(where: { $0.name == name }) else {
      FileHandle.standardError.write(Data("error: there is no program '\(name)'\n".utf8))
      exit(64)
    }
    #if canImport(CInterlockMemory)
    // Starts the check as the product InterlockMemory does before `main`. This program does not use
    // the product, because the benchmarks, which depend on this program, would link it too.
    if CommandLine.arguments.last == "off" {
      _ = interlock_memory_leave_out()
    } else if let reason = interlock_memory_start() {
      FileHandle.standardError.write(Data("error: \(String(cString: reason))\n".utf8))
      exit(1)
    }
    #endif
    // Start a second thread: locks are cheaper in a process with one thread.
    let end = DispatchSemaphore(value: 0)
    Thread { end.wait() }.start()
    // A first run does the work that is done once for a process, such as finding the code of a
    // call, and that is no cost of a turn.
    await program.run(program.turns / 20)
    let start = nanoseconds()
    await program.run(program.turns)
    print("\(Double(nanoseconds() - start) / Double(program.turns))\t\(mostResidentBytes())")
    end.signal()
  }

  /// The processor time of all threads, which other processes do not affect.
  private static func nanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }

  /// Not from `getrusage`, whose figure starts with the parent's.
  private static func mostResidentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
  }
}

private struct Program: Sendable {
  var name: String
  /// How often `run` repeats its work.
  var turns: Int
  var run: @Sendable (_ turns: Int) async -> Void

  static let all = [
    Program(name: "plain field", turns: 3_000_000) { turns in
      let box = Box()
      for _ in 0..<turns { box.addToField() }
    },
    Program(name: "array element", turns: 2_000_000) { turns in
      let box = Box()
      for index in 0..<turns { box.addToElement(index & 1023) }
    },
    Program(name: "field under a lock", turns: 1_000_000) { turns in
      let box = Box()
      for _ in 0..<turns { box.addUnderLock() }
    },
    Program(name: "dictionary under a lock", turns: 400_000) { turns in
      let store = Store()
      store.use(turns, seed: 1)
    },
    Program(name: "the same, 2 threads", turns: 400_000) { turns in
      let store = Store()
      await onThreads(2) { store.use(turns / 2, seed: UInt64($0 + 1)) }
    },
    Program(name: "actor hops", turns: 200_000) { turns in
      let counter = Counter()
      for _ in 0..<turns { await counter.add() }
    },
    Program(name: "group of tasks", turns: 100_000) { turns in
      await withTaskGroup(of: Int.self) { group in
        for number in 0..<turns { group.addTask { number } }
        for await _ in group {}
      }
    },
    Program(name: "queue async", turns: 200_000) { turns in
      let queue = DispatchQueue(label: "yardstick")
      let box = Box()
      for _ in 0..<turns { queue.async { box.addToField() } }
      queue.sync {}
    },
    Program(name: "queue sync", turns: 500_000) { turns in
      let queue = DispatchQueue(label: "yardstick")
      let box = Box()
      for _ in 0..<turns { queue.sync { box.addToField() } }
    },
    Program(name: "list", turns: 400_000) { turns in
      let list = List()
      for number in 0..<turns { list.push(number) }
      for _ in 0..<5 { list.add() }
      list.empty()
    },
    Program(name: "objects made and freed", turns: 1_000_000) { turns in
      for number in 0..<turns { use(Node(number, nil)) }
    },
    Program(name: "array sorted", turns: 200_000) { turns in
      var random = Random(seed: 1)
      var numbers = (0..<turns).map { _ in random.next() }
      numbers.sort()
      use(numbers)
    },
    Program(name: "matrix", turns: 8_000_000) { turns in
      multiply(size: Int(cbrt(Double(turns))))
    },
    Program(name: "strings built", turns: 100_000) { turns in
      var text = ""
      for number in 0..<turns { text += "\(number), " }
      use(text)
    },
    Program(name: "numbers and objects", turns: 4_000_000) { turns in
      let heap = Heap()
      heap.fill(turns)
      // One thread has written, another reads.
      await onThreads(1) { _ in heap.read() }
    },
  ]
}

/// Runs a body on threads of its own, and waits for their ends.
private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
  await withCheckedContinuation { ended in
    let threads = DispatchGroup()
    for number in 0..<count {
      threads.enter()
      Thread {
        body(number)
        threads.leave()
      }.start()
    }
    threads.notify(queue: .global()) { ended.resume() }
  }
}

/// Keeps a value that nothing reads.
@inline(never) private func use<Value>(_ value: Value) { withExtendedLifetime(value) {} }

/// Xorshift of 64 bits (Marsaglia, 2003).
private struct Random: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

/// Unchecked: one thread or queue uses it at a time.
private final class Box: @unchecked Sendable {
  private var field = 0
  private var array = [Int](repeating: 0, count: 1024)
  private let lock = NSLock()

  @inline(never) func addToField() { field &+= 1 }
  @inline(never) func addToElement(_ index: Int) { array[index] &+= 1 }
  @inline(never) func addUnderLock() {
    lock.lock()
    field &+= 1
    lock.unlock()
  }
}

/// Unchecked: a lock protects the table.
private final class Store: @unchecked Sendable {
  private let lock = NSLock()
  private var table: [UInt64: Int] = [:]

  /// Nine reads of ten, of 10,000 keys.
  func use(_ turns: Int, seed: UInt64) {
    var random = Random(seed: seed)
    for turn in 0..<turns {
      let key = random.next() % 10_000
      lock.withLock {
        if turn % 10 == 0 { table[key] = turn } else { _ = table[key] }
      }
    }
  }
}

private actor Counter {
  private var count = 0
  func add() { count &+= 1 }
}

private final class Node {
  var number: Int
  var next: Node?
  init(_ number: Int, _ next: Node?) {
    self.number = number
    self.next = next
  }
}

private final class List {
  private var first: Node?
  func push(_ number: Int) { first = Node(number, first) }
  func add() {
    var node = first
    while let one = node {
      one.number &+= 1
      node = one.next
    }
  }
  /// Removes the nodes one by one: freeing the whole list at once would be a deep recursion.
  func empty() { while let one = first { first = one.next } }
}

private func multiply(size: Int) {
  let one = (0..<size * size).map { Double($0) }
  let other = one
  var product = [Double](repeating: 0, count: size * size)
  for row in 0..<size {
    for column in 0..<size {
      var sum = 0.0
      for index in 0..<size { sum += one[row * size + index] * other[index * size + column] }
      product[row * size + column] = sum
    }
  }
  use(product)
}

/// Unchecked: the end of one thread comes before the start of the other.
private final class Heap: @unchecked Sendable {
  private var numbers: [Int] = []
  private var nodes: [Node] = []
  private var sum = 0

  func fill(_ count: Int) {
    numbers = Array(repeating: 0, count: count)
    for index in numbers.indices { numbers[index] = index }
    nodes = (0..<count / 40).map { Node($0, nil) }
  }

  func read() {
    for number in numbers { sum &+= number }
    for node in nodes { sum &+= node.number }
  }
}
