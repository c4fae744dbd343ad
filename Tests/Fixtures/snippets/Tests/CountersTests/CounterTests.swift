import Counters
import Testing

struct CounterTests {
  @Test func manyTasksCount() async {
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<100 { counter.add("one") } }
      }
    }
    #expect(counter.total == 800)
  }
}
