import Programs

/// The work of an app around an await: connections, pages and searches.
let screenPrograms: [Program] = [
  Program(
    "connected-twice", "connect() of an actor sets its state after the await",
    .failsInSomeOrder(.violation),
    twin: "connect() sets a state of its own before the await"
  ) {
    let connection = Connection()
    let opened = inTask {
      await inTasks({ await connection.connect() }, { await connection.connect() })
      return await connection.opened
    }
    try expect(opened == 1, "\(opened) connections were opened")
  } right: {
    let connection = Connection()
    let opened = inTask {
      await inTasks({ await connection.connectOnce() }, { await connection.connectOnce() })
      return await connection.opened
    }
    try expect(opened == 1, "\(opened) connections were opened")
  },

  Program(
    "loaded-twice-on-main-actor", "a view model on the main actor appends a page that is there",
    .failsInSomeOrder(.violation), twin: "the view model notes that it loads before it awaits"
  ) {
    let pages = inTask {
      let model = ViewModel()
      await inTasks({ await model.load() }, { await model.load() })
      return await model.pages
    }
    try expect(pages == ["page 1"], "the pages are \(pages)")
  } right: {
    let pages = inTask {
      let model = ViewModel()
      await inTasks({ await model.loadOnce() }, { await model.loadOnce() })
      return await model.pages
    }
    try expect(pages == ["page 1"], "the pages are \(pages)")
  },

  Program(
    "stale-answer-shown", "the answer to an older search arrives after the newer one",
    .failsInSomeOrder(.violation), twin: "an answer is shown if its search is the latest"
  ) {
    let screen = SearchScreen()
    let shown = inTask {
      let older = await screen.search("sw")
      let newer = await screen.search("swift")
      await older.value
      await newer.value
      return await screen.shown
    }
    try expect(shown == "swift", "the answer to '\(shown)' is shown")
  } right: {
    let screen = SearchScreen(checksLatest: true)
    let shown = inTask {
      let older = await screen.search("sw")
      let newer = await screen.search("swift")
      await older.value
      await newer.value
      return await screen.shown
    }
    try expect(shown == "swift", "the answer to '\(shown)' is shown")
  },
]

private actor Connection {
  private enum State { case closed, connecting, open }
  private(set) var opened = 0
  private var state = State.closed

  func connect() async {
    guard state == .closed else { return }
    await ask()
    opened += 1
    state = .open
  }

  func connectOnce() async {
    guard state == .closed else { return }
    state = .connecting
    await ask()
    opened += 1
    state = .open
  }
}

@MainActor private final class ViewModel {
  private(set) var pages: [String] = []
  private var isLoading = false

  nonisolated init() {}

  func load() async {
    guard pages.isEmpty else { return }
    await ask()
    pages.append("page 1")
  }

  func loadOnce() async {
    guard pages.isEmpty, !isLoading else { return }
    isLoading = true
    await load()
    isLoading = false
  }
}

private actor SearchScreen {
  private(set) var shown = ""
  private var latest = ""
  private let checksLatest: Bool

  init(checksLatest: Bool = false) { self.checksLatest = checksLatest }

  func search(_ text: String) -> Task<Void, Never> {
    latest = text
    return Task {
      await ask()
      if !checksLatest || text == latest { shown = text }
    }
  }
}
