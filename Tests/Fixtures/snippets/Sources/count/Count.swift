import Counters

@main struct Count {
  static func main() {
    let counter = Counter()
    counter.add("one")
    print(counter.total)
  }
}
