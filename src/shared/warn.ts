/** The warnings that have a row in docs/troubleshooting.md. */
export type WarningCode =
  | 'CANNOT_END'
  | 'GIVEN_UP'
  | 'LISTENER_FAILED'
  | 'NOT_RECORDED'
  | 'REDIS_LOST_ENDS'
  | 'REDIS_MAY_EVICT'
  | 'REDIS_MAY_FORGET'
  | 'REDIS_PERSISTENCE_UNKNOWN'
  | 'STATUS_LISTS_NOT_SIGNED'

/**
 * Emits a warning of the plugin. Node prints it, and `process.on('warning', …)` gets it with its
 * code.
 */
export function warn(code: WarningCode, message: string): void {
  process.emitWarning(message, { type: 'ImpersonationWarning', code })
}
