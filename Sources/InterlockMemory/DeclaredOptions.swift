internal import Interlock

/// Called before `main` by `Sources/CInterlockMemory/start.c`.
@_cdecl("interlock_memory_declare_options")
func declareOptions(in list: UnsafeMutableRawPointer) {
  declare(MemoryOptions.self, in: list)
  declare(BaselineOptions.self, in: list)
}
