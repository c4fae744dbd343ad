package import SynchronizationFlags

/// Sets a flag. The symbol of the function abbreviates the name of the flag's module.
package func sets(_ flag: SynchronizationFlag) -> Bool {
  flag.set()
  return flag.isSet
}
