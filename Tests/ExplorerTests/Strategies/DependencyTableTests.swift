import CInterlockExplorer
import StrategyTestsC
import Testing

/// The dependency table, the base of each claim of "all orders", compared with the model: the model
/// takes two steps in both orders from the same state.
@Suite struct DependencyTableTests {
  /// Pairs that are dependent in the table although the model shows no difference, each with the
  /// reason why that is acceptable. They cost executions, and lose none.
  static let imprecise: Set<String> = [
    // Two signals wake equally many waiters in either order, but pick among different numbers.
    "signal, signal", "signal, broadcast",
    // The end of a time limit depends on each step on the object that it wakes.
    "semaphore try, time up", "semaphore signal, time up",
    // A queue that is resumed once too often traps, so few programs of the model resume at all.
    "begin, resume",
    // In a correct program, two threads never wait for one continuation.
    "continuation wait, continuation wait",
  ]

  static let pairs: model_pairs = {
    var pairs = model_pairs()
    model_check_pairs(0, 2000, &pairs)
    return pairs
  }()

  static func counts(_ pairs: inout model_pairs) -> (differs: [UInt32], same: [UInt32]) {
    withUnsafeBytes(of: &pairs.differs) { differs in
      withUnsafeBytes(of: &pairs.same) { same in
        (Array(differs.bindMemory(to: UInt32.self)), Array(same.bindMemory(to: UInt32.self)))
      }
    }
  }

  static func name(_ kind: Int) -> String {
    String(cString: model_kind_name(UInt16(kind)))
  }

  @Test("steps whose order makes a difference are dependent in the table")
  func sound() {
    let pairs = Self.pairs
    #expect(pairs.pairs > 500_000)
    #expect(
      pairs.wrong == 0,
      """
      \(Self.name(Int(pairs.wrong_first))), \(Self.name(Int(pairs.wrong_second))) \
      in program \(pairs.wrong_seed)
      """)
  }

  @Test("the pairs that are dependent without need are the accepted ones")
  func precise() {
    var pairs = Self.pairs
    let (differs, same) = Self.counts(&pairs)
    let kinds = Int(MODEL_KINDS)
    var found: Set<String> = []
    for index in same.indices where same[index] > 0 && differs[index] == 0 {
      found.insert("\(Self.name(index / kinds)), \(Self.name(index % kinds))")
    }
    #expect(found.isSubset(of: Self.imprecise), "\(found.subtracting(Self.imprecise))")
  }

  @Test("the model shows a difference for at least 45 pairs of kinds")
  func coverage() {
    var pairs = Self.pairs
    #expect(Self.counts(&pairs).differs.count { $0 > 0 } >= 45)
  }

  @Test("an unknown operation depends on everything and takes the claim of completeness away")
  func unknown() {
    let dpor = interlock_dpor_create(
      interlock_dpor_options(objects_keep_their_numbers: true, shard: 0, shards: 1))!
    defer { dpor.pointee.destroy(dpor) }
    var program = model_make(MODEL_COUNTER, 2, 2)
    program.slots.0.lines.0.kind = UInt8(INTERLOCK_OPERATION_UNKNOWN.rawValue)
    var run = model_run()
    model_run_all(&program, dpor, model_options(by_first_use: false, limit: 0), &run)
    defer { model_run_clear(&run) }
    #expect(run.executions > 1)
    #expect(!run.complete)
    #expect(interlock_dpor_get_statistics(dpor).incomplete != nil)
  }

  @Test("two accesses of memory depend on each other if they share a byte and one writes")
  func bytes() {
    let kinds = [
      INTERLOCK_OPERATION_READ, INTERLOCK_OPERATION_WRITE, INTERLOCK_OPERATION_READ_WRITE,
    ]
    func access(_ kind: interlock_operation_kind, _ bytes: UInt16) -> interlock_operation {
      interlock_operation(kind: UInt16(kind.rawValue), flags: ~bytes & 0xff, object: 1, other: 0)
    }
    for one in kinds {
      for other in kinds {
        let reads = one == INTERLOCK_OPERATION_READ && other == INTERLOCK_OPERATION_READ
        for (bytes, others, shares) in [
          (0xff, 0xff, true), (0xff, 0x10, true), (0x0f, 0x18, true), (0x01, 0x01, true),
          (0x0f, 0xf0, false), (0x01, 0x02, false), (0x80, 0x7f, false),
        ] as [(UInt16, UInt16, Bool)] {
          let depend = model_operations_depend(access(one, bytes), access(other, others))
          #expect(depend == (shares && !reads), "\(one), \(other): \(bytes), \(others)")
        }
      }
    }
  }

  @Test("every kind of the contract but the unknown one has a row")
  func rows() {
    for kind in 1..<Int(INTERLOCK_OPERATION_COUNT.rawValue) {
      let isUnknown = kind == Int(INTERLOCK_OPERATION_UNKNOWN.rawValue)
      #expect(model_kind_has_row(UInt16(kind)) != isUnknown, "\(Self.name(kind))")
    }
  }
}
