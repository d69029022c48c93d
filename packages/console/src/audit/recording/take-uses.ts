import { BoundedMap, endsWithin } from 'oidc-provider-impersonation/siblings'
import { digestOf } from 'oidc-provider-impersonation-verify/chain'
import { escapeControls, reasonOf, USED_EVENT } from 'oidc-provider-impersonation-verify/format'
import { log } from '../log-line.ts'
import type { PermitStore } from '../permit-store.ts'
import { parseGap, parseUse } from './parse-entry.ts'
import type { Recorder } from './recorder.ts'
import { setAsideEntry } from './set-aside.ts'
import { useRecorder } from './uses.ts'

/** How many uses are remembered, so that a batch that comes again is stored once. */
const MAX_USES_REMEMBERED = 10_000
/** How many ids are remembered that are no permit's. */
const MAX_IDS_REMEMBERED = 10_000
/** How long it may take to look up a permit, in milliseconds. */
const LOOK_UP_MS = 2000
/** The longest malformed use that the log has, in characters. */
const MAX_LINE = 65_536

/**
 * Records what a sender tells. Resolves when all of it is stored. One bad entry stops nothing (I17): a use
 * that is malformed, or has the id of a permit, is set aside, and the others are stored. So is the number of
 * uses that the sender had to drop.
 */
export type TakeUses = (sender: string, reported: readonly unknown[]) => Promise<void>

export function usesTaker(
  recorder: Pick<Recorder, 'record'>,
  store: Pick<PermitStore, 'permit'>,
): TakeUses {
  const recordUse = useRecorder(recorder)
  const ofNoPermit = new BoundedMap<string, true>(MAX_IDS_REMEMBERED)
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

  /**
   * The ids that are those of permits. Nothing acts unrecorded (I13): where the storage does not say it, a
   * use is recorded.
   */
  async function findPermits(reported: readonly unknown[]): Promise<ReadonlySet<string>> {
    const ids = new Set(reported.flatMap(idIn).filter((id) => !ofNoPermit.has(id)))
    const permits = new Set<string>()
    const looking = [...ids].map(async (id) => {
      if (await store.permit(id)) permits.add(id)
      else ofNoPermit.set(id, true)
    })
    await endsWithin(LOOK_UP_MS, Promise.allSettled(looking))
    return permits
  }

  function take(sender: string, reported: unknown, permits: ReadonlySet<string>): Promise<void> {
    try {
      if (isGap(reported)) {
        const { useId, time, dropped } = parseGap(reported)
        const why = `the sender had to drop ${dropped} uses`
        return once([sender, useId], () => setAside(sender, { why }, time))
      }
      const use = parseUse(reported)
      if (use.id !== undefined && permits.has(use.id))
        throw new TypeError('use.id is that of a permit')
      return once([sender, use.useId], () => recordUse(use))
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

  return async (sender, reported) => {
    const permits = await findPermits(reported)
    await Promise.all(reported.map((each) => take(sender, each, permits)))
  }
}

function idIn(reported: unknown): string[] {
  const isUse = typeof reported === 'object' && reported !== null && 'id' in reported
  return isUse && typeof reported.id === 'string' ? [reported.id] : []
}

function isGap(reported: unknown): boolean {
  return typeof reported === 'object' && reported !== null && 'dropped' in reported
}
