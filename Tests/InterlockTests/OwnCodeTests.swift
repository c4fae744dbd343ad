import Testing

@testable import Interlock

/// The part of Interlock to which a frame belongs.
struct OwnCodeTests {
  @Test("a target is known by the compiler's folder and module, and by no other name")
  func declared() {
    let target = OwnCode(.runner, fileID: "Mine/Mine.swift", filePath: "/x/Sources/Mine/Mine.swift")
    let inC = "/x/Sources/CMine/include/mine.h".withCString { OwnCode(.harness, header: $0) }
    // A file may be looked up before its target is declared.
    #expect(OwnCode.part(ofFile: "/x/Sources/Mine/Deep/A.swift") == nil)
    OwnCode.register([target, inC])
    #expect(OwnCode.part(ofModule: "Mine") == .runner)
    #expect(OwnCode.part(ofModule: "Yours") == nil)
    #expect(OwnCode.part(ofFile: "/x/Sources/Mine/Deep/A.swift") == .runner)
    #expect(OwnCode.part(ofFile: "/x/Sources/CMine/mine.c") == .harness)
    // The spelling of debug information for the C files of the package being built.
    #expect(OwnCode.part(ofFile: "Sources/CMine/Deep/mine.c") == .harness)
    #expect(OwnCode.part(ofFile: "Sources/CYours/mine.c") == nil)
    #expect(OwnCode.part(ofFile: "Sources/Mine/Mine.swift") == nil)
    // The spelling of release builds for the Swift file of an inlined function's caller.
    #expect(
      OwnCode.path(of: "Sources/Mine/Deep/A.swift", inModule: "Mine")
        == "/x/Sources/Mine/Deep/A.swift")
    #expect(OwnCode.path(of: "Sources/Mine/A.swift", inModule: "Yours") == nil)
    #expect(OwnCode.path(of: "Sources/Yours/A.swift", inModule: "Mine") == nil)
    #expect(OwnCode.path(of: "/y/Sources/Mine/A.swift", inModule: "Mine") == nil)
    // A user's folder of the same name, and a folder whose name begins with it.
    #expect(OwnCode.part(ofFile: "/y/Sources/Mine/A.swift") == nil)
    #expect(OwnCode.part(ofFile: "/x/Sources/MineToo/A.swift") == nil)
    #expect(OwnCode.part(ofFile: #filePath) == nil)
    #expect(OwnCode.part(ofModule: "InterlockTests") == nil)
  }
}
