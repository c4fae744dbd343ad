import Foundation
import StressRunner
import Testing

@testable import InterlockStress

@Suite("Output to a descriptor")
struct DescriptorSinkTests {
  @Test("A closed reader of the output is no failure, and nothing more is written")
  func closedPipe() {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    let sink = DescriptorSink(ends[1], environment: [:])
    sink.write("text")
    sink.write("text")
    #expect(sink.failure == nil)
    #expect(sink.width == nil)
    close(ends[1])
  }

  @Test("Output to a full disk is a failure with its reason")
  func fullDisk() {
    let descriptor = open("/dev/full", O_WRONLY)
    guard descriptor >= 0 else { return }
    let sink = DescriptorSink(descriptor, environment: [:])
    sink.write("text")
    #expect(sink.failure == "No space left on device")
    close(descriptor)
  }

  @Test("Output arrives whole, in the order in which it was written")
  func order() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let sink = DescriptorSink(ends[1], environment: [:])
    sink.write("one ")
    sink.write("two é")
    close(ends[1])
    let data = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readDataToEndOfFile()
    #expect(String(decoding: data, as: UTF8.self) == "one two é")
  }
}
