import CInterlockAnalysis
import CInterlockEvents
import Interlock

// The tasks that wait for tasks and actors.

extension SnapshotTaker {
  private static let mostAwaits = 4096

  /// The tasks that wait for tasks, actors or groups, except for tasks that a thread runs.
  static func awaits(besides threads: [WaitSnapshot.Thread]) -> [WaitSnapshot.Await] {
    let running = Set(threads.compactMap(\.task))
    // Keep the innermost wait: a task in a group's scope may wait for something else in that scope.
    let waits = Dictionary(awaitViews().map { ($0.task, $0) }) { isInner($0, than: $1) ? $0 : $1 }
    return waits.values.compactMap { view in
      guard let kind = kind(view.kind), !running.contains(view.task) else { return nil }
      return WaitSnapshot.Await(
        task: view.task, kind: kind, object: kind == .taskGroup ? view.task : view.awaited,
        place: frames(view.place), parentTask: parent(ofTask: view.task))
    }
  }

  private static func isInner(
    _ view: interlock_await_view, than other: interlock_await_view
  ) -> Bool {
    func depth(_ view: interlock_await_view) -> Int {
      guard view.kind == INTERLOCK_OBJECT_TASK_GROUP.rawValue else { return 2 }
      return view.awaited == view.task ? 0 : 1
    }
    return depth(view) >= depth(other)
  }

  static func parent(ofTask task: UInt) -> UInt? {
    let parent = interlock_waits_parent(task)
    return parent == 0 ? nil : parent
  }

  /// The places that created the suspended tasks, where known.
  static func makers(of snapshot: WaitSnapshot) -> [UInt: [StackFrame]] {
    let tasks = snapshot.awaits.map(\.task) + snapshot.signals.filter(\.isWaitingTask).map(\.id)
    var makers: [UInt: [StackFrame]] = [:]
    for task in tasks {
      let maker = interlock_waits_task_maker(task)
      if maker.place != 0 { makers[task] = frames(maker.place, maker.outer) }
    }
    return makers
  }

  static func awaitViews() -> [interlock_await_view] {
    let count = min(interlock_waits_awaits(nil, 0) + 16, mostAwaits)
    return [interlock_await_view](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = min(interlock_waits_awaits(buffer.baseAddress, count), count)
    }
  }

  /// The types of the actors that tasks wait for.
  static func actorTypes(of awaits: [WaitSnapshot.Await]) -> [UInt: String] {
    var types: [UInt: String] = [:]
    for waiting in awaits where waiting.kind == .actor && types[waiting.object] == nil {
      types[waiting.object] = className(of: waiting.object)
    }
    return types
  }

  /// The name of an object's class without its module; `nil` if the memory does not have the ABI's
  /// layout. An object begins with its class's metadata, which has a descriptor, which has a name.
  ///
  /// The memory is read through a system call: a task that has resumed meanwhile may have freed the
  /// object.
  static func className(of object: UInt) -> String? {
    let classKind: UInt = 0
    let descriptorOffset: UInt = 40
    let nameOffset: UInt = 8
    let (kindBits, classDescriptor): (UInt32, UInt32) = (0x1f, 16)
    guard let metadata = peek(object, as: UInt.self),
      peek(metadata, as: UInt.self) == classKind,
      let descriptor = peek(metadata + descriptorOffset, as: UInt.self),
      let flags = peek(descriptor, as: UInt32.self), flags & kindBits == classDescriptor,
      let toName = peek(descriptor + nameOffset, as: Int32.self)
    else { return nil }
    let address = descriptor &+ nameOffset &+ UInt(bitPattern: Int(toName))
    var bytes: [UInt8] = []
    while bytes.count < 128, let byte = peek(address &+ UInt(bytes.count), as: UInt8.self),
      byte != 0
    {
      bytes.append(byte)
    }
    return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
  }

  private static func peek<Value: FixedWidthInteger>(
    _ address: UInt, as type: Value.Type
  ) -> Value? {
    var value: Value = 0
    return interlock_peek(address, &value, MemoryLayout<Value>.size) ? value : nil
  }
}
