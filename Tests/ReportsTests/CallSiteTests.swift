import HangReports
import Interlock
import Testing

@Suite("The place of a call")
struct CallSiteTests {
  private func frame(
    _ function: String, _ line: Int, in file: String = "/app/Bank.swift",
    takesFunction: Bool = false
  ) -> CallSite.Frame {
    CallSite.Frame(
      place: StackFrame(address: 1, function: function, file: file, line: line),
      takesFunction: takesFunction)
  }

  private func texts(_ sites: [CallSite]) -> [String] {
    CallSite.shown(sites).map { shown in
      guard let shown else { return "-" }
      return "\(shown.place.line ?? 0)" + (shown.helper.map { " by \($0)" } ?? "")
    }
  }

  private func lock(_ frames: CallSite.Frame...) -> CallSite {
    CallSite(operation: "lock", frames: frames)
  }

  @Test("the place of a call is the caller of a function with a usual name of a lock's function")
  func lockClass() {
    let package = frame("NIOLock.lock()", 92, in: "/p/.build/checkouts/nio/NIOLock.swift")
    let around = frame("NIOLock.withLock<A>(_:)", 112, in: "/p/.build/checkouts/nio/NIOLock.swift")
    #expect(
      texts([lock(package, around, frame("Bank.close()", 34))])
        == ["34 by NIOLock.withLock(_:)"])
  }

  @Test("the place of a call keeps the name of a function in a local type without a closure")
  func localType() {
    let lock = frame("PosixLock.lockToRead()", 9)
    let user = frame("closure #1 in read(_:) in Table #1 in program()", 34)
    #expect(texts([self.lock(lock, user)]) == ["34 by PosixLock.lockToRead()"])
    #expect(
      CallSite.Function(user.place).name == "read(_:) in Table #1 in program()")
  }

  @Test("the place of a call is outside of the system's headers")
  func header() {
    let header = frame("__gthread_mutex_lock", 749, in: "/usr/include/c++/13/bits/gthr-default.h")
    let guardClass = frame("std::lock_guard", 250, in: "/usr/include/c++/13/bits/std_mutex.h")
    #expect(
      texts([lock(header, guardClass, frame("close", 34, in: "/app/bank.cpp"))])
        == ["34 by std::lock_guard"])
  }

  @Test("the place of a call is the caller of a shared function that runs a closure")
  func closures() {
    let helper = frame("guarded<A>(_:)", 8, takesFunction: true)
    #expect(
      texts([lock(helper, frame("Bank.close()", 34)), lock(helper, frame("Bank.open()", 40))])
        == ["34 by guarded(_:)", "40 by guarded(_:)"])
  }

  @Test("the place of a call is the code that names a property or an element whose accessors lock")
  func accessor() {
    let accessors = [
      "Locked.wrappedValue.getter", "Locked.wrappedValue.setter", "Locked.wrappedValue.modify",
      "Locked.wrappedValue.read", "Table.subscript.getter", "Table.subscript.setter",
    ]
    for accessor in accessors {
      #expect(
        texts([lock(frame(accessor, 8), frame("Bank.close()", 34))]) == ["34 by \(accessor)"])
    }
    for accessor in ["Bank.total.getter", "Bank.wrappedValue()", "subscript.update()"] {
      #expect(texts([lock(frame(accessor, 8), frame("Bank.close()", 34))]) == ["8"])
    }
  }

  @Test("the place of a call is the caller of an initialiser that made several objects at one line")
  func initializer() {
    func made(_ frames: CallSite.Frame...) -> CallSite {
      CallSite(operation: "made", frames: frames)
    }
    let (lock, other) = (frame("Lock.init()", 6), frame("Lock.init()", 7))
    let (first, second) = (frame("Bank.init()", 34), frame("Bank.init()", 35))
    #expect(
      texts([made(lock, first), made(lock, second)])
        == ["34 by Lock.init()", "35 by Lock.init()"])
    #expect(texts([made(lock, first)]) == ["6"])
    #expect(texts([made(lock, first), made(other, second)]) == ["6", "7"])
    #expect(texts([self.lock(lock, first), self.lock(lock, second)]) == ["6", "6"])
  }

  @Test("the place of a call is the caller of a function that most calls share")
  func shared() {
    let helper = frame("Bank.enter()", 8)
    #expect(
      texts([
        lock(helper, frame("closure #1 in Bank.close()", 34)),
        lock(helper, frame("Bank.open()", 40)), lock(helper, frame("Bank.add(_:)", 45)),
        lock(frame("Bank.total()", 50)),
      ]) == ["34 by Bank.enter()", "40 by Bank.enter()", "45 by Bank.enter()", "50"])
  }

  @Test("the place of a call is the line of a function that makes the call at several lines")
  func severalLines() {
    let (first, second) = (frame("Bank.move()", 20), frame("Bank.move()", 21))
    let (one, other) = (frame("first()", 1), frame("second()", 2))
    #expect(
      texts([lock(first, one), lock(second, one), lock(first, other), lock(second, other)])
        == ["20", "21", "20", "21"])
  }

  @Test("the place of a call is the line of a function that only one function calls")
  func oneCaller() {
    let own = frame("Bank.add()", 20)
    #expect(
      texts([
        lock(own, frame("closure #1 in test()", 1)), lock(own, frame("closure #2 in test()", 2)),
      ]) == ["20", "20"])
  }

  @Test("the place of a call without known frames is not known")
  func unknown() { #expect(texts([lock()]) == ["-"]) }
}
