/** Options of each kind of audit. */
export interface KeepingOptions {
  /**
   * How long an impersonation is kept after its last entry, in whole seconds, 1 or more. Choose it
   * before you go live.
   * @defaultValue forever
   */
  readonly keepFor?: number | undefined
}

/** @throws TypeError when an option is wrong */
export function parseKeeping({ keepFor }: KeepingOptions, caller: string) {
  if (keepFor !== undefined && !(Number.isSafeInteger(keepFor) && keepFor >= 1)) {
    throw new TypeError(`${caller}: keepFor must be a whole number of seconds, 1 or more`)
  }
  return keepFor
}
