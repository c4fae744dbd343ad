internal import CMarks
internal import SectionTable

// Functions that are not on the path of a section.
extension ExploredSections {
  /// True if there is an explorer.
  static var isOn: Bool { explorer != nil }

  /// Called at a sync point. The point's name stands for the place.
  static func reached(syncPoint name: StaticString) {
    guard let explorer else { return }
    let site = interlock_section_site(
      file: UInt(bitPattern: name.utf8Start), function: 0,
      lengths: UInt(bitPattern: name.utf8CodeUnitCount), line: 0)
    explorer.pointee.reach(INTERLOCK_SYNC_POINT_REACHED, 0, site)
    explorer.pointee.done()
  }

  /// A number of the running execution, if the calling thread is explored.
  static var execution: UInt? {
    guard let explorer else { return nil }
    let thread = UInt(explorer.pointee.thread())
    return thread == 0 ? nil : thread >> numberBits
  }

  /// The number of the calling thread in the running execution, as in schedules; `nil` if it is not
  /// explored.
  static var threadNumber: Int? {
    guard let explorer else { return nil }
    let thread = UInt(explorer.pointee.thread())
    return thread == 0 ? nil : Int(thread & (1 << numberBits - 1)) - 1
  }

  /// Fails the running execution.
  static func fail(_ headline: String) {
    explorer?.pointee.fail(headline)
  }

  /// The name of an explored thread in reports, as in schedules.
  static func threadName(_ number: UInt) -> String? {
    switch number {
    case 0: nil
    case 1: "the body's thread"
    default: "thread \(number - 1)"
    }
  }

  /// Closes the sections that threads of the last execution have left open. These threads never
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

/// Entry point from C: an execution with sections has ended.
@_cdecl("interlock_sections_of_execution_ended")
package func sectionsOfExecutionEnded() {
  #if INTERLOCK_TRACKING
  ExploredSections.closeAll()
  ShadowStates.forgetAll()
  #endif
}

/// Entry point from C: an explorer was set or removed.
@_cdecl("interlock_explored_sections_changed")
package func exploredSectionsChanged() {
  #if INTERLOCK_TRACKING
  _ = Settings.shared.publishHotSettings()
  SyncPoints.setExplored(ExploredSections.isOn)
  #endif
}
