import Testing

@testable import Interlock

/// The frame that accesses a property, in stacks that only optimised code has.
struct PropertyAccessTests {
  private static let declaration = Place(file: "Model/Store.swift", line: 5, function: "@Tracked")

  private func frame(
    _ function: String, _ symbol: String, _ file: String? = nil, _ line: Int? = nil,
    at address: UInt = 1, in image: String = "App"
  ) -> NamedFrame {
    NamedFrame(
      frame: StackFrame(address: address, function: function, file: file, line: line, image: image),
      symbol: symbol)
  }

  private func thunk(_ function: String, _ symbol: String) -> NamedFrame {
    var thunk = frame(function, symbol, "/<compiler-generated>", 0)
    thunk.isThunk = true
    return thunk
  }

  private func access(_ frames: [NamedFrame], line: Int? = nil) -> (String?, Place) {
    let access = PropertyAccess(of: frames) { _ in
      line.map { .init(file: "/src/App/main.swift", line: $0) }
    }
    return (access.property, access.place(declaredAt: Self.declaration))
  }

  @Test("an accessor that was inlined into the accessing function is left out")
  func inlined() {
    let found = access([
      frame("Store.table.modify", "$s5Model5StoreC5tableSDyS2iGvM", "//<compiler-generated>", 0),
      frame("Store.fill()", "$s5Model5StoreC4fillyyF", "/src/Model/Store.swift", 13),
    ])
    #expect(
      found == ("Store.table", Place(file: "Model/Store.swift", line: 13, function: "Store.fill()"))
    )
  }

  @Test("a closure in a specialised function of the library has the line of the user's function")
  func specialised() {
    let found = access([
      frame("Store.table.modify", "$s5Model5StoreC5tableSDyS2iGvM", "//<compiler-generated>", 0),
      frame(
        "specialized Sequence.forEach(_:)", "$sSTsE7forEachyyy7ElementQzKXEKFSaySiG_Tg5",
        "/src/Model/Store.swift", 35),
      frame("Store.fill()", "$s5Model5StoreC4fillyyF", "/src/Model/Store.swift", 34),
    ])
    #expect(found.1 == Place(file: "Model/Store.swift", line: 35, function: "Store.fill()"))
  }

  @Test("an inlined accessor behind its caller does not give the access its function")
  func accessorBehind() {
    let found = access([
      frame("Store.table.modify", "$s5Model5StoreC5tableSDyS2iGvM", "//<compiler-generated>", 0),
      frame(
        "specialized Sequence.forEach(_:)", "$sSTsE7forEachyyy7ElementQzKXEKFSaySiG_Tg5",
        "/src/Model/Store.swift", 35, at: 2),
      frame(
        "Store.table.modify", "$s5Model5StoreC5tableSDyS2iGvM", "/src/Model/Store.swift", 34,
        at: 2),
      frame("Store.fill()", "$s5Model5StoreC4fillyyF", "/src/Model/Store.swift", 34, at: 2),
    ])
    #expect(found.1 == Place(file: "Model/Store.swift", line: 35, function: "Store.fill()"))
  }

  @Test("merged functions are reported as several at the property's declaration")
  func merged() {
    let found = access([
      frame("Store.table.modify", "$s5Model5StoreC5tableSDyS2iGvM", "/src/Model/Store.swift", 0),
      frame("Store.fill()", "$s5Model5StoreC4fillyyFTm"),
      frame("caller()", "$s3App6calleryyF", "/src/App/main.swift", 49),
    ])
    #expect(
      found
        == (
          "Store.table",
          Place(
            file: "Model/Store.swift", line: 5,
            function: "@Tracked, accessed by Store.fill() or a function with the same code")
        ))
  }

  @Test("a merged accessor does not give the property its name")
  func mergedAccessor() {
    let found = access(
      [
        frame("Store.table.modify", "$s5Model5StoreC5tableSDyS2iGvMTm"),
        frame("fill()", "$s3App4fillyyF", "/src/App/main.swift", 0),
      ], line: 7)
    #expect(found == (nil, Place(file: "App/main.swift", line: 7, function: "fill()")))
  }

  @Test("a library's frames between the accessor and the user's code are left out")
  func library() {
    let found = access([
      frame("Store.table.getter", "$s5Model5StoreC5tableSDyS2iGvg", "/src/Model/Store.swift", 0),
      thunk("key path getter for Store.table", "$s5Model5StoreC5tableSDyS2iGvpACTK"),
      frame("swift_getAtKeyPath", "swift_getAtKeyPath", in: "libswiftCore.so"),
      frame("fill()", "$s3App4fillyyF", "/src/App/main.swift", 9),
    ])
    #expect(found == ("Store.table", Place(file: "App/main.swift", line: 9, function: "fill()")))
  }

  @Test("the end of an access by key path, which has no file, is reported at the line beside it")
  func writeBack() {
    let found = access(
      [
        frame("Store.table.setter", "$s5Model5StoreC5tableSDyS2iGvs", "/src/Model/Store.swift", 0),
        thunk("key path setter for Store.table", "$s5Model5StoreC5tableSDyS2iGvpACTk"),
        frame("swift_setAtWritableKeyPath", "swift_setAtWritableKeyPath", in: "libswiftCore.so"),
        frame("fill()", "$s3App4fillyyF", "/<compiler-generated>", 0),
      ], line: 12)
    #expect(found == ("Store.table", Place(file: "App/main.swift", line: 12, function: "fill()")))
  }

  @Test("a property of a type that is declared in a function has the type's name")
  func local() {
    let found = access([
      frame(
        "table.modify in Store #1 in fill()", "$s3App4fillyyF5StoreL_C5tableSDyS2iGvM",
        "/src/App/main.swift", 0),
      frame("fill()", "$s3App4fillyyF", "/src/App/main.swift", 9),
    ])
    #expect(found == ("Store.table", Place(file: "App/main.swift", line: 9, function: "fill()")))
  }

  @Test("a stack without information leaves the access at the property's declaration")
  func nothing() {
    #expect(access([]) == (nil, Self.declaration))
  }

  @Test(
    "a symbol's module is that of the code, not that of the type it extends",
    arguments: [
      ("App.fill() -> ()", "App"), ("static App.Store.fill(Swift.Int) -> Swift.Int", "App"),
      ("(extension in App):Model.Store.fill() -> ()", "App"),
      ("closure #1 @Sendable () -> () in App", "App"),
      ("closure #1 (Model.Store) -> () in (extension in App):Model.Store.fill() -> ()", "App"),
      ("closure #2 () -> () in closure #1 (Swift.Int) -> () in App.fill() -> ()", "App"),
      ("generic specialization <Swift.Int> of App.fill<A>(A) -> ()", "App"),
      ("(1) await resume partial function for App.fill() async -> ()", "App"),
      ("App.fill((extension in Other):Swift.Array<A>.Part) -> ()", "App"),
    ])
  func module(demangled: String, module: String) {
    #expect(SymbolModule.module(ofDemangled: demangled) == module)
  }

  @Test("a name that is no Swift symbol has no module")
  func noModule() {
    #expect(SymbolModule.module(of: "start_thread") == nil)
    #expect(SymbolModule.module(of: nil) == nil)
    #expect(SymbolModule.module(of: "$s3App4fillyyF") == "App")
  }
}
