import Explorer
import StressRunner
import Testing
import Hangs

@testable import InterlockStress

@Suite("'pool'")
struct PoolCommandTests {
  /// A world in which a trial completes if the width is at least `width`.
  private func makeWorld(completesFrom width: Int?) throws -> TestWorld {
    let test = try TestWorld()
    test.verdict = { trial in
      let asked = trial.explore.map { $0.options.poolWidth } ?? trial.scenario.poolWidth
      return width.map { (asked ?? 0) >= $0 } == true
        ? .passed
        : .any(.deadlock, cause: .starvation)
    }
    return test
  }

  @Test("'pool' finds the smallest width, whatever it is", arguments: [1, 2, 3, 5, 64, 999, 1024])
  func smallest(_ width: Int) throws {
    let test = try makeWorld(completesFrom: width)
    #expect(test.run("pool", "reads", "--subject", "good") == .met)
    #expect(
      test.output.text.contains("\nThe smallest width at which it completes is \(width).\n"))
  }

  @Test("'pool' shows the smallest width of sampled orders, or of a real run, as no more than that")
  func claims() throws {
    let test = try makeWorld(completesFrom: 3)
    test.exploration = { _ in
      ExplorationRecord(outcome: .sampled(count: 9, leftBehind: 0, escaped: []), seconds: 0)
    }
    #expect(test.run("pool", "reads", "--subject", "good") == .met)
    #expect(
      test.output.text.contains(
        "\nThe smallest width at which no order tried hangs is 3. Not every order was tried.\n"))
    let real = try makeWorld(completesFrom: 3)
    #expect(real.run("pool", "reads", "--subject", "good", "--real") == .met)
    #expect(
      real.output.text.contains(
        "\nThe smallest width tried at which it completed is 3. A run shows"))
    #expect(!real.output.text.contains("completes is"))
  }

  @Test("'pool' explores, and decides nothing if an order fails in another way than a deadlock")
  func explores() throws {
    let test = try makeWorld(completesFrom: 1)
    #expect(test.run("pool", "reads", "--subject", "good") == .met)
    #expect(test.trials.first?.explore?.options.seconds == 2)
    for kind in [StressRunner.Verdict.Kind.violation, .race, .crashed] {
      test.verdict = { _ in .any(kind) }
      for more in [[], ["--real"]] {
        let shown = test.output.text.count
        #expect(test.run(["pool", "reads", "--subject", "good"] + more) == .unmet)
        let text = test.output.text.dropFirst(shown)
        #expect(text.contains("That decides nothing about the pool"), "\(kind) \(more)")
      }
    }
    #expect(test.run("pool", "reads", "--subject", "good", "--time-limit", "5") == .usage)
  }

  @Test("'pool --real' runs pools of each width, and prints the results")
  func table() throws {
    let test = try makeWorld(completesFrom: 3)
    #expect(test.run("pool", "reads", "--subject", "good", "--real") == .met)
    #expect(test.trials.first?.explore == nil)
    #expect(
      test.output.text.hasPrefix(
        """
        reads on good

        WIDTH  VERDICT
            1  deadlock (starvation), 2 of 2 calls in 0.00 s
            2  deadlock (starvation), 2 of 2 calls in 0.00 s
            4  passed, 2 of 2 calls in 0.00 s
            3  passed, 2 of 2 calls in 0.00 s

        """))
  }

  @Test("'pool' reports that no width is enough")
  func none() throws {
    let test = try makeWorld(completesFrom: nil)
    #expect(test.run("pool", "reads", "--subject", "good") == .unmet)
    #expect(test.output.text.contains("It completes at no width up to 1024."))
  }

  @Test("'pool' takes one scenario and one subject")
  func usage() throws {
    let test = try makeWorld(completesFrom: 1)
    #expect(test.run("pool", "reads") == .usage)
    #expect(test.run("pool", "--subject", "good") == .usage)
    #expect(test.run("pool", "reeds", "--subject", "good") == .usage)
    #expect(test.errors.text.contains("There is no scenario 'reeds': did you mean 'reads'?"))
  }

  @Test("'--pool-width' applies to every trial, and is repeated in the replay command")
  func option() throws {
    let test = try makeWorld(completesFrom: 9)
    #expect(test.run("run", "reads", "--subject", "good", "--pool-width", "3") == .unmet)
    #expect(test.trials.map(\.scenario.poolWidth) == [3])
    #expect(test.output.text.contains("--seed 7 --pool-width 3 --scenarios"))
    #expect(test.run("run", "--pool-width", "0") == .usage)
    #expect(test.run("run", "--pool-width", "1025") == .usage)
  }
}
