package import CMarks

/// Sections of threads that an explorer controls. Each begin and end is a point, before which the
/// explorer may continue another thread.
package enum ExploredSections {
  /// Marks owners that are explored threads; the numbers of other threads are small.
  package static let ownerFlag: UInt = 1 << 62
  package static let numberBits: UInt = 20

  /// The explorer, if threads are explored and their sections are points; otherwise `nil`.
  package static var explorer: UnsafePointer<interlock_explored_sections>? {
    // A program that explores the tracker itself has points at the tracker's accesses instead.
    #if INTERLOCK_EXPLORES_ITSELF
    nil
    #else
    interlock_get_explored_sections()
    #endif
  }

  /// Called before a section begins. The thread's calls are hidden until `done`.
  @inline(never)
  static func willBegin(_ key: ResourceKey, _ entry: Entry) {
    guard let explorer else { return }
    let site = interlock_section_site(
      file: entry.file, function: entry.function, lengths: entry.lengths,
      line: entry.lineAndFlags & 0xFFFF_FFFF)
    explorer.pointee.reach(
      entry.writes ? INTERLOCK_SECTION_WRITE_BEGINS : INTERLOCK_SECTION_READ_BEGINS, key.hash, site)
    nameThread(explorer)
  }

  /// Called before a section ends, with the place of its begin.
  @inline(never)
  static func willEnd(_ open: Registry.OpenSection) {
    guard let explorer else { return }
    let record = open.record
    let site = interlock_section_site(
      file: record[.file], function: record[.function], lengths: record[.lengths],
      line: record[.lineAndFlags] & 0xFFFF_FFFF)
    explorer.pointee.reach(
      record.writes ? INTERLOCK_SECTION_WRITE_ENDS : INTERLOCK_SECTION_READ_ENDS, open.key.hash,
      site)
  }

  /// Called before a section locks its mutex.
  @inline(never)
  static func willLock(_ mutex: UnsafeRawPointer, at site: borrowing Site) {
    explorer?.pointee.lock(
      mutex,
      interlock_section_site(
        file: site.file, function: site.function,
        lengths: site.fileLength | site.functionLength << 32, line: site.line))
  }

  /// Called before a section unlocks its mutex.
  @inline(never)
  static func willUnlock(_ mutex: UnsafeRawPointer) { explorer?.pointee.unlock(mutex) }

  /// Called once the section has begun or ended.
  @inline(never)
  package static func done() { explorer?.pointee.done() }

  /// Gives the calling thread its own owner, with the number that the schedule shows. Its context
  /// may have belonged to an earlier explored thread.
  private static func nameThread(_ explorer: UnsafePointer<interlock_explored_sections>) {
    let thread = UInt(explorer.pointee.thread())
    guard thread != 0 else { return }
    let context = ThreadContext.current
    context.pointee.threadOwner = ownerFlag | thread << 1
    context.pointee.thread = thread & (1 << numberBits - 1)
  }
}
