import CInterlock
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
    // A user's folder of the same name, and one that begins like it.
    #expect(OwnCode.part(ofFile: "/y/Sources/Mine/A.swift") == nil)
    #expect(OwnCode.part(ofFile: "/x/Sources/MineToo/A.swift") == nil)
    #expect(OwnCode.part(ofFile: #filePath) == nil)
    #expect(OwnCode.part(ofModule: "InterlockTests") == nil)
  }

  @Test("the debug information of a target has the folder that the target declares")
  func debugInformation() throws {
    let function: @convention(c) () -> Void = interlock_read_options
    let frames = symbolicate([unsafeBitCast(function, to: UInt.self) + 1])
    let file = try #require(frames.first?.file)
    #expect(OwnCode.part(ofFile: file) == .library, "\(file)")
    #expect(OwnCode.part(ofModule: "Interlock") == .library)
  }
}
