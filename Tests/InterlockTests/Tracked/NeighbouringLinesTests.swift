import Testing

@testable import Interlock

/// The line that neighbouring code gives to code without a line, which only optimised builds have.
struct NeighbouringLinesTests {
  private static let file = "/src/App/Store.swift"
  private static let append = "$s3App5StoreC6appendyyF"
  private static let caller = "$s3App4moreyyF"
  private static let resumed = "$s3App5StoreC5laterSiyYaFTY1_"
  private static let other = "$s3App5otheryyF"
  private static let libraryAppend = "$sSa6appendyyxnFSi_Tg5"

  private typealias Frame = (symbol: String, line: Int)

  // The line found for the innermost frame of an address. A piece is the address where code with
  // the same frames begins, and these frames. The offset is the distance from the beginning of the
  // function; it is 0 for an inlined function.
  private func line(at address: UInt, offset: UInt, _ pieces: [(UInt, [Frame])]) throws -> Int? {
    let lines = NeighbouringLines { addresses in
      addresses.flatMap { address -> [NamedFrame] in
        let piece = pieces.last { $0.0 <= address }?.1 ?? []
        return piece.map { frame in
          NamedFrame(
            frame: StackFrame(
              address: address, function: frame.symbol, file: Self.file, line: frame.line,
              image: "App"),
            symbol: frame.symbol)
        }
      }
    }
    var named = try #require(lines.name([address]).first)
    named.offset = offset
    return lines.location(of: named)?.line
  }

  @Test("an inlined function has its own line, and not that of its caller")
  func inlined() throws {
    // As the toolchain orders them: by the first addresses, with the lines of the nesting.
    let found = try line(
      at: 1000, offset: 0,
      [
        (900, [(Self.caller, 71)]), (910, [(Self.append, 0), (Self.caller, 71)]),
        (1010, [(Self.append, 0), (Self.libraryAppend, 71), (Self.caller, 15)]),
        (1030, [(Self.append, 71), (Self.caller, 71)]),
      ])
    #expect(found == 15)
  }

  @Test("a line that may belong to another inlined function is not used")
  func ambiguous() throws {
    let found = try line(
      at: 1000, offset: 0,
      [
        (900, [(Self.caller, 71)]), (910, [(Self.append, 0), (Self.caller, 71)]),
        (1010, [(Self.append, 40), (Self.other, 71), (Self.caller, 15)]),
        (1030, [(Self.caller, 72)]),
      ])
    #expect(found == nil)
  }

  @Test("code that resumes after an 'await' has its own line, and not that of the 'await'")
  func resumed() throws {
    let found = try line(
      at: 1000, offset: 100,
      [
        (900, [(Self.resumed, 28)]), (920, [(Self.resumed, 29)]), (999, [(Self.resumed, 0)]),
        (1004, [(Self.resumed, 30)]),
      ])
    #expect(found == 30)
  }

  @Test("the line of the arguments before a call is that of the call")
  func arguments() throws {
    let found = try line(
      at: 1000, offset: 100,
      [
        (900, [(Self.append, 28)]), (920, [(Self.append, 29)]), (999, [(Self.append, 0)]),
        (1004, [(Self.append, 30)]),
      ])
    #expect(found == 29)
  }
}
