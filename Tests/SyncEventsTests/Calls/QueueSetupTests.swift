import CInterlockEvents
import Dispatch
import Testing

extension SyncEvents {
  /// How queues are made and set up: label, target, suspension.
  @Suite("Making queues")
  struct QueueSetupTests {
    @Test("A queue's creation is published with its label and line")
    func label() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let made = nextLine()
      let serial = DispatchQueue(label: "test.label")
      let concurrent = DispatchQueue(
        label: "test.concurrent", qos: .utility, attributes: .concurrent, target: serial)
      let events = recorder.all.filter { $0.words == "create queue" }
      let first = try #require(events.first { $0.object == serial.address })
      #expect(first.label == "test.label")
      #expect(first.line == made)
      let second = try #require(events.first { $0.object == concurrent.address })
      #expect(second.label == "test.concurrent")
      #expect(serial.label == "test.label")
      #expect(concurrent.label == "test.concurrent")
      #expect(concurrent.qos == .utility)
      // One event each, although libdispatch makes a queue by several calls.
      #expect(events.filter { $0.object == serial.address }.count == 1)
    }

    @Test("A queue's suspension, resumption, activation and new target are published")
    func configure() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let queue = DispatchQueue(label: "test.setup", attributes: .initiallyInactive)
      let target = DispatchQueue(label: "test.target")
      recorder.follow(queue)
      let ran = SharedArray<Bool>(count: 1) { false }
      queue.async { ran[0] = true }
      queue.setTarget(queue: target)
      queue.activate()
      queue.sync {}
      #expect(ran[0])
      queue.suspend()
      ran[0] = false
      queue.async { ran[0] = true }
      // A block behind the suspended queue on its target finds that its block has not run.
      target.sync { #expect(!ran[0]) }
      queue.resume()
      queue.sync {}
      #expect(ran[0])
      let changes = recorder.events(of: queue).filter { $0.kind == INTERLOCK_EVENT_CONFIGURE }
      #expect(changes.map(\.value) == [2, 0, 1, -1])
      #expect(changes.first?.other == target.address)
    }

    @Test("A source is published as unfollowed code")
    func sources() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let queue = DispatchQueue(label: "test.source")
      let fired = DispatchSemaphore(value: 0)
      let before = recorder.all.filter { $0.kind == INTERLOCK_EVENT_UNFOLLOWED }.count
      let timer = DispatchSource.makeTimerSource(queue: queue)
      #expect(recorder.all.filter { $0.kind == INTERLOCK_EVENT_UNFOLLOWED }.count == before + 1)
      timer.setEventHandler { fired.signal() }
      timer.schedule(deadline: .now())
      timer.resume()
      fired.wait()
      timer.cancel()
    }
  }

  /// `DispatchGroup`.
  @Suite("Groups")
  struct GroupTests {
    @Test("A group's enters, leaves and waits are published with their lines")
    func enterAndLeave() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let group = DispatchGroup()
      let first = #line + 1
      group.enter()
      group.leave()
      group.wait()
      let events = recorder.events(of: group)
      #expect(
        events.map(\.words) == [
          "create group", "enter group", "release group", "wait group free", "acquire group",
        ])
      #expect(
        events.dropFirst().prefix(3).map(\.line)
          == (first..<first + 3).map { "QueueSetupTests.swift:\($0)" })
    }

    @Test("A wait for a group gives up in time, and a check without waiting is not published")
    func timed() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let group = DispatchGroup()
      group.enter()
      #expect(group.wait(timeout: .now() + .milliseconds(10)) == .timedOut)
      group.leave()
      #expect(group.wait(timeout: .distantFuture) == .success)
      #expect(
        recorder.words(of: group) == [
          "create group", "enter group", "wait group limit", "give-up group", "release group",
          "wait group free", "acquire group",
        ])
    }

    @Test("A group is left by its blocks, and its notification runs after them")
    func blocks() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let group = DispatchGroup()
      let queue = DispatchQueue(label: "test.group", attributes: .concurrent)
      let after = DispatchQueue(label: "test.notified")
      recorder.follow(queue)
      recorder.follow(after)
      let inside = Overlap()
      let done = DispatchSemaphore(value: 0)
      let seen = SharedArray<Int>(count: 1) { 0 }
      let handed = nextLine(#fileID, #line)
      for _ in 0..<50 { queue.async(group: group) { inside.run(alone: false) } }
      let notified = nextLine()
      group.notify(queue: after) {
        seen[0] = inside.total
        done.signal()
      }
      group.wait()
      #expect(inside.total == 50)
      done.wait()
      #expect(seen[0] == 50)
      let blocks = recorder.events(of: queue).filter { $0.kind == INTERLOCK_EVENT_ENQUEUE }
      #expect(blocks.count == 50)
      #expect(Set(blocks.map(\.place)).count == 1)
      #expect(blocks.first?.line == handed)
      let last = recorder.events(of: after).filter { $0.kind == INTERLOCK_EVENT_ENQUEUE }
      #expect(last.map(\.words) == ["enqueue queue on-group"])
      #expect(last.map(\.line) == [notified])
    }
  }
}
