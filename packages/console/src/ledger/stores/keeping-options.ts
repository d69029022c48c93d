/** Options of each kind of audit. */
export interface KeepingOptions {
  /**
   * How long an impersonation is kept after its last entry, in whole seconds, 1 or more. Choose it
   * before you go live.
   * @defaultValue forever
   */
  readonly keepFor?: number | undefined
  /**
   * Proves entries until the next seal. It has 32 or more random characters, the same in all
   * processes, and never in the database. An `ExternalSigningKey` needs it.
   * @defaultValue made of the provider's private keys
   */
  readonly secret?: string | undefined
}

const MIN_SECRET_LENGTH = 32

/** @throws TypeError when an option is wrong */
export function parseKeeping({ keepFor, secret }: KeepingOptions, caller: string) {
  if (keepFor !== undefined && !(Number.isSafeInteger(keepFor) && keepFor >= 1)) {
    throw new TypeError(`${caller}: keepFor must be a whole number of seconds, 1 or more`)
  }
  if (secret !== undefined && !(typeof secret === 'string' && secret.length >= MIN_SECRET_LENGTH)) {
    throw new TypeError(`${caller}: secret must have at least ${MIN_SECRET_LENGTH} characters`)
  }
  return { keepFor, secret }
}
