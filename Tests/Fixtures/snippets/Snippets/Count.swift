// A counter that several threads may use.

import Counters

let counter = Counter()
counter.add("one")
print(counter.total)
