/** Options of each kind of audit. */
export interface KeepingOptions {
  /**
   * Time that an impersonation is kept after its last entry, in whole seconds, 1 or more. Choose it
   * before you go live.
   * @defaultValue forever
   */
  readonly keepFor?: number | undefined
}
