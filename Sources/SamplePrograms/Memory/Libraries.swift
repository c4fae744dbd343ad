import Foundation
import Programs

/// Types of Foundation that are thread-safe, and memory that is handed over through them.
let libraryPrograms: [Program] = [
  Program(
    "operations-at-once", "two operations of a queue increment a number", .races,
    twin: "the second depends on the first",
    wrong: {
      let counter = Counter()
      let meeting = Meeting(2)
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 2
      for isSecond in [false, true] {
        queue.addOperation {
          meeting.wait()
          if isSecond { letTimePass() }
          counter.add(1)
        }
      }
      queue.waitUntilAllOperationsAreFinished()
    },
    right: {
      let counter = Counter()
      let queue = OperationQueue()
      let first = BlockOperation { counter.add(1) }
      let second = BlockOperation { counter.add(1) }
      second.addDependency(first)
      queue.addOperations([second, first], waitUntilFinished: true)
      use(counter.value)
    }),
  Program("operations-in-turn", "operations of a queue of one append to an array", .passes) {
    let shelf = Shelf()
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    for number in 0..<20 { queue.addOperation { shelf.array.append(number) } }
    queue.waitUntilAllOperationsAreFinished()
    use(shelf.array)
  },
  Program("cache-of-objects", "threads put objects into an NSCache and read them", .passes) {
    nonisolated(unsafe) let cache = NSCache<NSString, NSNumber>()
    onThreads(4) { index in
      for number in 0..<50 {
        cache.setObject(NSNumber(value: number), forKey: "\(number % 7)" as NSString)
        use(cache.object(forKey: "\(index)" as NSString))
      }
    }
  },
  Program("user-defaults", "threads set and read user defaults", .passes) {
    nonisolated(unsafe) let defaults = UserDefaults(suiteName: "interlock-memory-programs")
    onThreads(2) { index in
      for number in 0..<10 {
        defaults?.set(number, forKey: "number\(index)")
        use(defaults?.integer(forKey: "number0"))
      }
    }
    defaults?.removePersistentDomain(forName: "interlock-memory-programs")
  },
  Program("files", "threads write and read files by one file manager", .passes) {
    let manager = FileManager.default
    let folder = manager.temporaryDirectory.appending(path: "memory-\(getpid())")
    try? manager.createDirectory(at: folder, withIntermediateDirectories: true)
    onThreads(3) { index in
      let file = folder.appending(path: "\(index)")
      for number in 0..<5 {
        try? Data([UInt8(number)]).write(to: file)
        use(manager.fileExists(atPath: file.path))
        use(manager.contents(atPath: file.path))
      }
    }
    try? manager.removeItem(at: folder)
  },
  Program("notifications", "an observer on the posting thread counts under a lock", .passes) {
    let counter = Counter()
    let lock = NSLock()
    let name = Notification.Name("interlock-memory")
    let center = NotificationCenter.default
    let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in
      lock.withLock { counter.add(1) }
    }
    onThreads(3) { _ in NotificationCenter.default.post(name: name, object: nil) }
    NotificationCenter.default.removeObserver(token)
    use(counter.value)
  },
  Program("run-loop-timer", "a timer of a run loop counts, and its thread reads", .passes) {
    Joined {
      let counter = Counter()
      let timer = Timer(timeInterval: 0.002, repeats: true) { timer in
        counter.add(1)
        if counter.value == 3 { timer.invalidate() }
      }
      RunLoop.current.add(timer, forMode: .default)
      while counter.value < 3, RunLoop.current.run(mode: .default, before: .distantFuture) {}
      use(counter.value)
    }.join()
  },
  Program("formatters-of-each", "threads format numbers with encoders of their own", .passes) {
    onThreads(3) { index in
      for number in 0..<10 { use(try? JSONEncoder().encode(["\(index)": number])) }
    }
  },
]
