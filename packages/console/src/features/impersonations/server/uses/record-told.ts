import { BoundedMap } from 'oidc-provider-impersonation/siblings'
import { digestOf } from 'oidc-provider-impersonation-verify/chain'
import {
  escapeControls,
  reasonOf,
  type ToldRequest,
  USED_EVENT,
} from 'oidc-provider-impersonation-verify/format'
import { log } from '../../../../kernel/log-line.ts'
import { setAsideEntry } from '../../../../ledger/recording/compose.ts'
import { parseGap, parseUse } from '../../../../ledger/recording/parse-entry.ts'
import type { Recorder } from '../../../../ledger/recording/recorder.ts'

/** How many uses are remembered, so that a batch that comes again is stored once. */
const MAX_USES_REMEMBERED = 10_000
/** The longest malformed use that the log has, in characters. */
const MAX_LINE = 65_536

/**
 * `onImpersonatedRequest` of a guard: records what operators did. One bad entry stops nothing (I17): rejects
 * with a TypeError that names the member where it is no use, and records nothing.
 */
export type RecordUse = (use: ToldRequest) => Promise<void>

export function useRecorder({ recordUse }: Pick<Recorder, 'recordUse'>): RecordUse {
  return async (reported) => recordUse(parseUse(reported))
}

/**
 * Records what a sender tells. Resolves when all of it is stored. One bad entry stops nothing (I17): a use
 * that is malformed is set aside, and the others are stored. So is the number of
 * uses that the sender had to drop.
 */
export function usesTaker(recorder: Pick<Recorder, 'record' | 'recordUse'>) {
  /** By what names a use. */
  const known = new BoundedMap<string, Promise<void>>(MAX_USES_REMEMBERED)

  function once(name: readonly string[], record: () => Promise<void>): Promise<void> {
    const key = JSON.stringify(name)
    const before = known.get(key)
    if (before) return before
    const recorded = record()
    known.set(key, recorded)
    return recorded
  }

  function take(sender: string, reported: unknown): Promise<void> {
    try {
      if (typeof reported === 'object' && reported !== null && 'dropped' in reported) {
        const { dropped, timeMs, useId } = parseGap(reported)
        const why = `the sender had to drop ${dropped} uses`
        return once([sender, useId], () => setAside(sender, { why }, timeMs))
      }
      const use = parseUse(reported)
      return once([sender, use.useId], () => recorder.recordUse(use))
    } catch (error) {
      return takeMalformed(sender, reported, reasonOf(error))
    }
  }

  function takeMalformed(sender: string, reported: unknown, why: string): Promise<void> {
    const line = escapeControls(
      JSON.stringify({ event: USED_EVENT, client: sender, malformed: reported }),
    )
    const digest = digestOf(line)
    return once([sender, 'malformed', digest], () => {
      if (line.length <= MAX_LINE) console.log(line)
      log(`a use that ${sender} tells is set aside: ${why}`)
      return setAside(sender, { digest, why })
    })
  }

  function setAside(
    sender: string,
    what: { readonly digest?: string; readonly why: string },
    time?: number,
  ): Promise<void> {
    return recorder.record({
      ...setAsideEntry({ event: USED_EVENT, ...what }, time),
      client: sender,
    })
  }

  return async (sender: string, reported: readonly unknown[]) => {
    await Promise.all(reported.map((each) => take(sender, each)))
  }
}
