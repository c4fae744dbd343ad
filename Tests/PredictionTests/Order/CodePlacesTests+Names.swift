import AtomicMutexes
import Interlock
import LocalAtomics
import OptimizedAtomics
import OptimizedMutexes
import StackAtomics
import SynchronizationFlags
import SynchronizationFlagsUsers
import Testing

@testable import Prediction

#if os(Linux) && arch(x86_64)

/// Modules and types whose names contain Synchronization, Atomic and Mutex, which symbols then
/// abbreviate.
extension CodePlacesTests {
  @Test("an atomic that is only loaded and stored is named by its property, also for its users")
  func atomicByItsType() {
    #expect(sets(SynchronizationFlag()))
    let place = "atomics in module SynchronizationFlags (SynchronizationFlag.atomic)"
    #expect(UncontrolledCode.place(inModule: "SynchronizationFlags") == place)
    #expect(UncontrolledCode.place(inModule: "SynchronizationFlagsUsers") == place)
  }

  @Test("a Mutex is not named, whatever words the names of its module and its owner have")
  func mutexByItsType() {
    MutexBox().add()
    MutexBox.SynchronizationBox().add()
    #expect(UncontrolledCode.place(inModule: "AtomicMutexes") == nil)
  }

  @Test(
    "an atomic in a local variable that is only loaded and stored is named by a line",
    arguments: [("LocalAtomics", 8...17), ("OptimizedAtomics", 6...15), ("StackAtomics", 6...15)])
  func localAtomic(module: String, lines: ClosedRange<Int>) throws {
    #expect(LocalAtomics.escaping() == 1 && OptimizedAtomics.escaping() == 1)
    #expect(StackAtomics.shared())
    let place = try #require(UncontrolledCode.place(inModule: module))
    let prefix = "atomics in module \(module) (\(module).swift:"
    #expect(place.hasPrefix(prefix) && place.hasSuffix(")"), "\(place)")
    let line = Int(place.dropFirst(prefix.count).dropLast())
    #expect(line.map(lines.contains) == true, "\(place)")
    OwnCode.register(OwnCode.prediction)
    var judge = CodeJudge()
    #expect(judge.doubt(about: module) == "module \(module) uses Synchronization")
  }

  @Test("a Mutex in a local variable is not named, also not in optimised code")
  func localMutex() {
    #expect(OptimizedMutexes.sum() == 2 && MutexBox.sum() == 1)
    #expect(UncontrolledCode.place(inModule: "OptimizedMutexes") == nil)
  }

  @Test("prediction doubts code that reaches an atomic of another module")
  func doubt() {
    #expect(sets(SynchronizationFlag()))
    OwnCode.register(OwnCode.prediction)
    var judge = CodeJudge()
    let doubt = "module SynchronizationFlags uses Synchronization"
    #expect(judge.doubt(about: "SynchronizationFlags") == doubt)
    #expect(judge.doubt(about: "SynchronizationFlagsUsers") == doubt)
  }

  @Test("a function in an extension belongs to the extension's module, also with constraints")
  func extensions() {
    let modules = CodeModules()
    #expect(
      modules.module(of: "$s15Synchronization6AtomicV0A5FlagsSbRszrlE5isSetSbyF")
        == "SynchronizationFlags")
    #expect(modules.module(of: "$sSa13AtomicMutexesSiRszrlE3sumSiyF") == "AtomicMutexes")
    #expect(modules.module(of: "$sSa13AtomicMutexesE5countSiyF") == "AtomicMutexes")
    #expect(modules.module(of: "$sSay13AtomicMutexes8MutexBoxCGMD") == nil)
    #expect(modules.module(of: "$s15Synchronization5MutexVySiGMD") == nil)
    // A type with the name of its module.
    #expect(modules.module(of: "$s12LocalAtomicsAAO8escapingSiyFZ") == "LocalAtomics")
  }
}

#endif
