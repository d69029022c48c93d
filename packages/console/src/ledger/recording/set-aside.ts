import { digestOf } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  SET_ASIDE,
  type SetAside,
} from 'oidc-provider-impersonation-verify/format'
import { lineOf } from '../../kernel/log-line.ts'

/**
 * The entries that stand in the place of one that cannot be stored: with its row, and without.
 * They have nothing of its texts, which may be why it is refused.
 */
export function setAsideFor(
  entry: AuditEntry,
  why: string,
): readonly [ofRow: AuditEntry, alone: AuditEntry] {
  // Names are added after it was printed.
  const { names: _, ...printed } = entry
  const { event, timeMs: time, id } = printed
  const setAside = { event, digest: digestOf(lineOf(printed)), why }
  const alone = setAsideEntry(setAside, time)
  return [id === undefined ? alone : { ...alone, id }, alone]
}

/** @param time in milliseconds since the epoch */
export function setAsideEntry(setAside: SetAside, time = Date.now()): AuditEntry {
  return { event: SET_ASIDE, timeMs: time, setAside }
}
