import Testing

@testable import Prediction

struct SynchronizationSymbolTests {
  @Test(
    "a symbol names the module Synchronization if its demangled name does",
    arguments: [
      ("$s4Bank4FlagC1a15Synchronization6AtomicVySbGvpfi", ["Atomic"]),
      ("$s20SynchronizationFlags0A4FlagC1a0A06AtomicVySbGvpfi", ["Atomic"]),
      ("$s20SynchronizationFlags0A4FlagC1s0A06AtomicVy0D3Kit0D5StateOGvpfi", ["Atomic"]),
      ("$s15Synchronization6AtomicV0A5FlagsSbRszrlE5isSetSbyF", ["Atomic"]),
      ("$s15Synchronization19AtomicLazyReferenceVy0B3Kit8MutexBoxCGMD", ["AtomicLazyReference"]),
      ("$s9AtomicKit8MutexBoxC1m15Synchronization0C0VySiGvpfi", ["Mutex"]),
      ("$s5Plain7genericy20SynchronizationFlags6HolderVySiGx_0C05MutexVyxGtlF", ["Mutex"]),
      ("symbolic _____y_____G 15Synchronization6AtomicV 4Bank4SlotV", []),
      // Types and modules with similar names.
      ("$s20SynchronizationFlags0A4FlagC1vSbvg", nil),
      ("$s5Plain5OuterO15SynchronizationO6AtomicV1fyyF", nil),
      ("symbolic _____ 20SynchronizationFlags0A4FlagC", nil),
    ] as [(String, [String]?)])
  func names(symbol: String, types: [String]?) {
    #expect(SynchronizationSymbol(symbol)?.types == types)
  }

  @Test("a symbol names each module that its demangled name has, and no other")
  func modules() throws {
    let symbol = "$s20SynchronizationFlags0A4FlagC1s0A06AtomicVy0D3Kit0D5StateOGvpfi"
    let found = try #require(SynchronizationSymbol(symbol))
    #expect(found.names("SynchronizationFlags") && found.names("AtomicKit"))
    #expect(!found.names("Flags") && !found.names("Atomic") && !found.names("AtomicState"))
    #expect(found.isDeclared(in: "SynchronizationFlags") && !found.isDeclared(in: "AtomicKit"))
    let `extension` = "$s15Synchronization6AtomicV0A5FlagsSbRszrlE5isSetSbyF"
    #expect(SynchronizationSymbol(`extension`)?.isDeclared(in: "SynchronizationFlags") == true)
  }

  @Test("the symbol of a stored property has the property's name, without module and file")
  func property() {
    let flag =
      "$s20SynchronizationFlags0A4FlagC6atomic33_F12BD77D7135727C01A129EB2A8CE790LL"
      + "0A06AtomicVySbGvp"
    for suffix in ["fi", "Wvd"] {
      #expect(SynchronizationSymbol(flag + suffix)?.property == "SynchronizationFlag.atomic")
    }
    #expect(SynchronizationSymbol("$s15Synchronization5MutexVySiGMD")?.property == nil)
  }

  @Test(
    "a symbol of data names each module of its types, also with an abbreviated name",
    arguments: [
      (
        "$s15Synchronization6AtomicVy0A5Flags0A5StateOGMD",
        ["Synchronization", "SynchronizationFlags"]
      ),
      ("$sSay13AtomicMutexes8MutexBoxCGMD", ["AtomicMutexes"]),
      ("got.$s20SynchronizationFlags0A4FlagCMn", ["SynchronizationFlags"]),
      (
        "symbolic _____y_____G 15Synchronization6AtomicV 0A5Flags0A5StateO",
        ["Synchronization", "SynchronizationFlags"]
      ),
      ("symbolic ______p 20SynchronizationFlags0A5ThingP", ["SynchronizationFlags"]),
      ("symbolic SDy_____SiGSg 4Bank5StateO", ["Bank"]),
      ("get_type_metadata 15Synchronization6AtomicVySbG noncopyable.1", ["Synchronization"]),
    ] as [(String, [String])])
  func data(symbol: String, modules: [String]) {
    let known: Set = ["Synchronization", "SynchronizationFlags", "AtomicMutexes", "Bank", "Flags"]
    #expect(SymbolNames.modules(in: symbol).intersection(known) == Set(modules))
  }
}
