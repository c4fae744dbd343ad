// Fuzzes one reader, guided by coverage: `Fuzz READER [libFuzzer's options and folders]`. Without
// arguments, prints the names of the readers.
import Foundation
import FuzzDriver
import FuzzedReaders

var arguments = CommandLine.arguments
guard arguments.count > 1, let reader = FuzzedReader.all.first(where: { $0.name == arguments[1] })
else {
  print(FuzzedReader.all.map(\.name).joined(separator: " "))
  exit(arguments.count > 1 ? 64 : 0)
}
arguments.remove(at: 1)

// A global, because libFuzzer's callback takes no context.
let read = reader.read

var pointers = arguments.map { strdup($0) } + [nil]
exit(
  interlock_fuzz(Int32(arguments.count), &pointers) { data, size in
    let input = Array(UnsafeBufferPointer(start: data, count: size))
    if case .wrong(let fault) = read(input) { fatalError(fault) }
    return 0
  })
