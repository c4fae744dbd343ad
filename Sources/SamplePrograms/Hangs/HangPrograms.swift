package import Programs

/// All programs: those that hang, sorted by their primitives, then those that do not.
package let hangPrograms: [Program] =
  lockPrograms
  + abandonedLockPrograms
  + queuePrograms
  + semaphorePrograms
  + groupPrograms
  + conditionPrograms
  + poolPrograms
  + taskPrograms
  + awaitPrograms
  + staticLetPrograms
  + mixedPrograms
  + channelPrograms
  + joinPrograms
  + correctPrograms
  + correctAwaitPrograms
  + correctChannelPrograms
