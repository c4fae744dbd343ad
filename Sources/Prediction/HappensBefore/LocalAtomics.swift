import CInterlockAnalysis
import Interlock

/// Finds atomics in local variables, which no symbol of their module names.
///
/// Code that creates or destroys such a variable refers to data about its type: the cache of its
/// metadata, its storage's metadata in the library, or the metadata of the box in which closures
/// share it. Two cases are not found. Optimised code that only stores and loads an atomic on the
/// stack, without sequential consistency, has no trace of the type. An `Atomic<UInt32>` on the
/// stack cannot be told from a `Mutex`, which contains one.
struct LocalAtomics {
  /// The addresses of the data to which only code with an atomic refers.
  private let data: Set<UInt>

  /// Collects the data of this executable from its symbols that name Synchronization.
  init(_ symbols: [SynchronizationSymbol]) {
    let caches = symbols.filter(\.isOfAtomicsMetadata).map { interlock_code_address_of($0.index) }
    data = Set(caches + Self.storages()).subtracting([0])
  }

  /// The slots with the metadata of the storages of atomics, except for 32 bits, which a `Mutex`
  /// uses.
  private static func storages() -> [UInt] {
    ["8", "16", "64", "128"].flatMap { bits in
      let storage = "_Atomic\(bits)BitStorageVN"
      let most = 64
      return [UInt](unsafeUninitializedCapacity: most) {
        let slots = interlock_code_import_slots(
          "15Synchronization", storage, $0.baseAddress, most)
        $1 = min(slots, most)
      }
    }
  }

  /// The end of the first instruction in a function that refers to such data; `nil` if there is
  /// none.
  func first(in function: interlock_code_function) -> UInt? {
    var function = function
    var (offset, target) = (0, UInt(0))
    while interlock_code_next_reference(&function, &offset, &target) {
      if data.contains(target) || interlock_code_captures_atomic(target) {
        return function.start + UInt(offset)
      }
    }
    return nil
  }
}

extension SynchronizationSymbol {
  /// True for a metadata cache of a type with an atomic that does not belong to a `Mutex`.
  var isOfAtomicsMetadata: Bool {
    guard let demangled, demangled.hasPrefix("demangling cache variable for type metadata for ")
    else { return false }
    let others = demangled.replacing("Synchronization.Atomic<Swift.UInt32>", with: "")
    guard let types = Self.types(of: "Synchronization", in: others) else { return false }
    return types.contains { $0.hasPrefix("Atomic") || $0.hasPrefix("_Atomic") }
  }
}
