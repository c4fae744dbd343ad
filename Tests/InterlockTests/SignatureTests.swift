import Testing

@testable import Interlock

@Suite("The name of a symbol")
struct SignatureTests {
  @Test(
    "the name of a symbol shows whether a function takes another function",
    arguments: [
      ("App.locked<A>(__C.NSLock, () -> A) -> A", true),
      ("App.parallel(@Sendable () -> ()...) -> ()", true),
      ("closure #1 () -> () in App.Box.locked<A>(() throws -> A) throws -> A", true),
      ("(extension in App):App.Box.(each in _01AB)(Swift.Int, do: (Swift.Int) -> ()) -> ()", true),
      ("App.make() -> () -> ()", false),
      ("closure #1 () -> () in App.Bank.close() -> Swift.Int", false),
      ("App.Bank.total.getter : Swift.Int", false),
    ])
  func takesFunction(_ name: String, _ takes: Bool) {
    #expect(NamedFrame.takesFunction(demangled: name) == takes)
  }

  @Test("the name of a macro's expansion has the file and the line that use the macro")
  func macro() throws {
    let use = try #require(
      MacroPlace.use(
        inFile: "/x/@__swiftmacro_21InterlockTestingTests0024CallSiteTestsswift_ynAHffMX54_19_"
          + "7requirefMf_.swift"))
    #expect(use == ("CallSiteTests.swift", 55))
    #expect(MacroPlace.use(inFile: "/x/CallSiteTests.swift") == nil)
  }
}
