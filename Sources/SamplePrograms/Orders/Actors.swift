import Programs

/// Actors that are entered again at an await.
let actorPrograms: [Program] = [
  Program(
    "withdrawn-across-await", "an actor checks a balance, awaits, and withdraws",
    .failsInSomeOrder(.violation),
    twin: "the actor checks the balance again after the await",
    source: "SE-0306: an actor is re-entrant, its state can change across an await"
  ) {
    let account = Account()
    let balance = inTask {
      await inTasks({ await account.withdraw(80) }, { await account.withdraw(80) })
      return await account.balance
    }
    try expect(balance >= 0, "the balance is \(balance)")
  } right: {
    let account = Account()
    let balance = inTask {
      await inTasks(
        { await account.withdrawCheckingAgain(80) }, { await account.withdrawCheckingAgain(80) })
      return await account.balance
    }
    try expect(balance >= 0, "the balance is \(balance)")
  },

  Program(
    "image-loaded-twice", "an actor looks an image up, awaits its download, and stores it",
    .failsInSomeOrder(.violation),
    twin: "the actor stores the task of the download before it awaits it",
    source: "WWDC 2021, Protect mutable state with Swift actors: ImageDownloader"
  ) {
    let images = ImageLoader()
    let downloads = inTask {
      await inTasks({ _ = await images.image("a") }, { _ = await images.image("a") })
      return await images.downloads
    }
    try expect(downloads == 1, "the image was downloaded \(downloads) times")
  } right: {
    let images = ImageLoader()
    let downloads = inTask {
      await inTasks({ _ = await images.imageByTask("a") }, { _ = await images.imageByTask("a") })
      return await images.downloads
    }
    try expect(downloads == 1, "the image was downloaded \(downloads) times")
  },

  Program(
    "token-refreshed-twice", "two requests find the token expired, and each refreshes it",
    .failsInSomeOrder(.violation), twin: "a refresh that runs is awaited by later requests",
    source: "firebase-ios-sdk, pull request 15493: several token refreshes at once"
  ) {
    let session = TokenSession()
    let refreshes = inTask {
      await inTasks({ await session.request() }, { await session.request() })
      return await session.refreshes
    }
    try expect(refreshes == 1, "the token was refreshed \(refreshes) times")
  } right: {
    let session = TokenSession()
    let refreshes = inTask {
      await inTasks({ await session.requestSharing() }, { await session.requestSharing() })
      return await session.refreshes
    }
    try expect(refreshes == 1, "the token was refreshed \(refreshes) times")
  },

  Program(
    "stock-checked-in-another-actor",
    "a shop asks an actor for the stock, then tells it to take one", .failsInSomeOrder(.violation),
    twin: "one call of the actor checks the stock and takes one"
  ) {
    let (stock, log) = (Stock(), Guarded([String]()))
    let count = inTask {
      let order = { @Sendable in
        let count = await stock.count
        log.update { $0.append("\(count) in stock") }
        if count > 0 { await stock.take() }
      }
      await inTasks(order, order)
      return await stock.count
    }
    try expect(count == 0, "\(count) of 1 are left")
  } right: {
    let stock = Stock()
    let count = inTask {
      await inTasks({ _ = await stock.takeIfAny() }, { _ = await stock.takeIfAny() })
      return await stock.count
    }
    try expect(count == 0, "\(count) of 1 are left")
  },

  Program(
    "value-set-across-await", "a value of an actor is read by one await and set by another",
    .failsInSomeOrder(.violation), twin: "a method of the actor reads and sets the value"
  ) {
    let counter = Counter()
    let count = inTask {
      let add = { @Sendable in await counter.set(await counter.count + 1) }
      await inTasks(add, add)
      return await counter.count
    }
    try expect(count == 2, "2 additions gave \(count)")
  } right: {
    let counter = Counter()
    let count = inTask {
      await inTasks({ await counter.add() }, { await counter.add() })
      return await counter.count
    }
    try expect(count == 2, "2 additions gave \(count)")
  },

  Program(
    "lock-released-across-await", "a task reads under a lock, awaits, and writes under the lock",
    .failsInSomeOrder(.violation),
    twin: "the task awaits first, then reads and writes under one hold of the lock"
  ) {
    let count = Guarded(0)
    inTask {
      let add = { @Sendable in
        let old = count.value
        await Task.yield()
        count.set(old + 1)
      }
      await inTasks(add, add)
    }
    try expect(count.value == 2, "2 additions gave \(count.value)")
  } right: {
    let count = Guarded(0)
    inTask {
      let add = { @Sendable in
        await Task.yield()
        count.update { $0 += 1 }
      }
      await inTasks(add, add)
    }
    try expect(count.value == 2, "2 additions gave \(count.value)")
  },

]

private actor Account {
  private(set) var balance = 100

  func withdraw(_ amount: Int) async {
    guard balance >= amount else { return }
    await ask()
    balance -= amount
  }

  func withdrawCheckingAgain(_ amount: Int) async {
    guard balance >= amount else { return }
    await ask()
    guard balance >= amount else { return }
    balance -= amount
  }
}

private actor ImageLoader {
  private(set) var downloads = 0
  private var images: [String: Int] = [:]
  private var tasks: [String: Task<Int, Never>] = [:]

  func image(_ name: String) async -> Int {
    if let image = images[name] { return image }
    let image = await download()
    images[name] = image
    return image
  }

  func imageByTask(_ name: String) async -> Int {
    if let task = tasks[name] { return await task.value }
    let task = Task { await download() }
    tasks[name] = task
    return await task.value
  }

  private func download() async -> Int {
    downloads += 1
    await ask()
    return downloads
  }
}

private actor TokenSession {
  private(set) var refreshes = 0
  private var isExpired = true
  private var refreshing: Task<Void, Never>?

  func request() async {
    if isExpired { await refresh() }
  }

  func requestSharing() async {
    guard isExpired else { return }
    let task = refreshing ?? Task { await refresh() }
    refreshing = task
    await task.value
  }

  private func refresh() async {
    await ask()
    refreshes += 1
    isExpired = false
  }
}

private actor Stock {
  private(set) var count = 1

  func take() { count -= 1 }

  func takeIfAny() -> Bool {
    guard count > 0 else { return false }
    count -= 1
    return true
  }
}

private actor Counter {
  private(set) var count = 0

  func set(_ count: Int) { self.count = count }
  func add() { count += 1 }
}
