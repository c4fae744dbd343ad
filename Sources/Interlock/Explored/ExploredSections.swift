internal import CInterlock
internal import Synchronization

/// Sections of threads that an explorer controls: each begin and end is a point, where the explorer
/// may continue another thread first.
enum ExploredSections {
  /// Marks the owners that are explored threads; other numbers of threads are small.
  private static let ownerFlag: UInt = 1 << 62
  private static let numberBits: UInt = 20

  /// The explorer, if threads are explored and their sections are points.
  private static var explorer: UnsafePointer<interlock_explored_sections>? {
    // The program that explores the tracker itself has points at its accesses instead.
    #if INTERLOCK_EXPLORES_ITSELF
    nil
    #else
    interlock_get_explored_sections()
    #endif
  }

  /// Whether there is one.
  static var isOn: Bool { explorer != nil }

  /// Called before a section begins; the thread's calls are hidden until `done`.
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

  /// Called before a section ends; the place is that of its begin.
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

  /// Called at a sync point. Its name stands for the place.
  @inline(never)
  static func reached(syncPoint name: StaticString) {
    guard let explorer else { return }
    let site = interlock_section_site(
      file: UInt(bitPattern: name.utf8Start), function: 0,
      lengths: UInt(bitPattern: name.utf8CodeUnitCount), line: 0)
    explorer.pointee.reach(INTERLOCK_SYNC_POINT_REACHED, 0, site)
    explorer.pointee.done()
  }

  /// Called once the section has begun or ended.
  @inline(never)
  static func done() { explorer?.pointee.done() }

  /// Gives the calling thread an owner of its own: an earlier explored thread may have had its
  /// context. Its number is the one that the schedule shows.
  private static func nameThread(_ explorer: UnsafePointer<interlock_explored_sections>) {
    let thread = UInt(explorer.pointee.thread())
    guard thread != 0 else { return }
    let context = ThreadContext.current
    context.pointee.threadOwner = ownerFlag | thread << 1
    context.pointee.thread = thread & (1 << numberBits - 1)
  }

  /// A number of the running execution, if the calling thread is explored.
  static var execution: UInt? {
    guard let explorer else { return nil }
    let thread = UInt(explorer.pointee.thread())
    return thread == 0 ? nil : thread >> numberBits
  }

  /// The number of the calling thread in the running execution, as schedules have it; `nil` if it
  /// is not explored.
  static var threadNumber: Int? {
    guard let explorer else { return nil }
    let thread = UInt(explorer.pointee.thread())
    return thread == 0 ? nil : Int(thread & (1 << numberBits - 1)) - 1
  }

  /// Fails the running execution.
  static func fail(_ headline: String) {
    explorer?.pointee.fail(headline)
  }

  /// The name of an explored thread in reports, as schedules have it.
  static func threadName(_ number: UInt) -> String? {
    switch number {
    case 0: nil
    case 1: "the body's thread"
    default: "thread \(number - 1)"
    }
  }

  /// Closes the sections that threads of the last execution have left open: those threads never
  /// continue.
  static func closeAll() {
    ThreadContexts.forEach { context in
      guard context.pointee.threadOwner & ownerFlag != 0 else { return }
      context.forEachRecordInUse { record in
        let key = ResourceKey(hash: UInt64(record[.key]))
        Bucket(of: key).forEachOccupied { word, slot in
          guard word.record == record else { return true }
          _ = Registry.finish(
            Registry.OpenSection(record: record, slot: slot, word: word, key: key))
          return false
        }
      }
    }
  }
}

/// An execution that had sections has ended.
@_cdecl("interlock_sections_of_execution_ended")
func sectionsOfExecutionEnded() {
  #if INTERLOCK_TRACKING
  ExploredSections.closeAll()
  ShadowStates.forgetAll()
  #endif
}

/// An explorer was set, or removed.
@_cdecl("interlock_explored_sections_changed")
func exploredSectionsChanged() {
  #if INTERLOCK_TRACKING
  _ = Settings.shared.publishHotSettings()
  SyncPoints.setExplored(ExploredSections.isOn)
  #endif
}
