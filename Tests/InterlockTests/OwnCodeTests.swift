import Testing

@testable import Interlock

/// Whose code a frame is.
struct OwnCodeTests {
  @Test("a target is known by the folder and the module that the compiler gives it, and by no name")
  func declared() {
    let target = OwnCode(.runner, fileID: "Mine/Mine.swift", filePath: "/x/Sources/Mine/Mine.swift")
    let inC = "/x/Sources/CMine/include/mine.h".withCString { OwnCode(.harness, header: $0) }
    OwnCode.register([target, inC])
    #expect(OwnCode.part(ofModule: "Mine") == .runner)
    #expect(OwnCode.part(ofModule: "Yours") == nil)
    #expect(OwnCode.part(ofFile: "/x/Sources/Mine/Deep/A.swift") == .runner)
    #expect(OwnCode.part(ofFile: "/x/Sources/CMine/mine.c") == .harness)
    // As debug information has the C files of the package that is built.
    #expect(OwnCode.part(ofFile: "Sources/CMine/Deep/mine.c") == .harness)
    #expect(OwnCode.part(ofFile: "Sources/CYours/mine.c") == nil)
    #expect(OwnCode.part(ofFile: "Sources/Mine/Mine.swift") == nil)
    // A user's folder of the same name, and one that begins like it.
    #expect(OwnCode.part(ofFile: "/y/Sources/Mine/A.swift") == nil)
    #expect(OwnCode.part(ofFile: "/x/Sources/MineToo/A.swift") == nil)
    #expect(OwnCode.part(ofFile: #filePath) == nil)
    #expect(OwnCode.part(ofModule: "InterlockTests") == nil)
  }
}
