import {
  type AuditEntry,
  escapeControls,
  reasonOf,
} from 'oidc-provider-impersonation-verify/format'

/** An entry as one line of JSON. */
export function lineOf(entry: AuditEntry): string {
  return escapeControls(JSON.stringify(entry))
}

/** Writes to stderr that the store does not have this entry. What was missing can be made again. */
export function complain({ event, timeMs: time, afterRestart }: AuditEntry, reason: string): void {
  if (afterRestart) return
  log(`${event} at ${time} is only in the log, it could not be stored: ${reason}`)
}

/**
 * Finds a part of an answer: if that fails, the rest is there without it.
 *
 * @param trouble the words of the log before the reason
 */
export async function unlessTrouble<T>(
  trouble: string,
  find: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    log(`${trouble}: ${reasonOf(error)}`)
    return undefined
  }
}

/** Writes one line to stderr. */
export function log(text: string): void {
  console.error(escapeControls(`audit: ${text}`))
}
