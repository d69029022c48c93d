import { endsWithin } from 'oidc-provider-impersonation/siblings'
import {
  digestOf,
  rootOf,
  type Seal,
  sealHashOf,
  sealInJws,
} from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  MISLABELLED_EVENT,
  reasonOf,
} from 'oidc-provider-impersonation-verify/format'
import { every } from '../../kernel/every.ts'
import { log } from '../../kernel/log-line.ts'
import { takingTurns } from '../../kernel/turns.ts'
import type { AuditStore, StoredSeal } from '../store.ts'
import type { Marks } from './marks.ts'

/** Signs claims by the provider's key. */
export type Sign = (claims: Readonly<Record<string, unknown>>) => Promise<string>

export type Seals = ReturnType<typeof startSeals>

export interface SealsOptions {
  readonly store: AuditStore
  readonly marks: Marks
  /** Records the alarm about what no process of the deployment wrote. */
  recordSurely(entry: AuditEntry, id?: string): Promise<void>
  readonly sign: Sign
  /** Seals by a timer, too. @defaultValue true */
  readonly isTimed?: boolean | undefined
  /** The clock, in milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
}

const SEAL_EVERY_MS = 60_000
/** A seal of another process is enough for so long, in milliseconds. */
const SEAL_HOLDS_MS = 45_000
export const ENTRIES_PER_SEAL = 1000
/** The longest wait of an export, or of the end of the process, for a seal, in milliseconds. */
const SEAL_TIMEOUT_MS = 15_000
const SAYS = {
  failing: 'new entries are not sealed, until it works',
  again: 'new entries are sealed again',
}

/** The claims of a seal that is stored: `verify` looks at its signature. */
export function claimsOf(stored: StoredSeal): Seal {
  const seal = claimsIn(stored)
  if (seal) return seal
  throw new Error(`the seal ${stored.number} is not as it was stored`)
}

function claimsIn({ jws, number, last }: StoredSeal): Seal | undefined {
  const seal = sealInJws(jws)
  return seal?.number === number && seal.last === last ? seal : undefined
}

/** Before the first seal. */
const NO_SEAL = { number: 0, last: 0, hash: '', time: 0 }
type Sealed = Pick<Seal, keyof typeof NO_SEAL>

const foreign = (what: string) => `${what} was not written by the audit`

/** Seals what is stored, as long as the process runs. No start and no decision waits for it. */
export function startSeals({
  store,
  marks,
  recordSurely,
  sign,
  isTimed = true,
  now = () => Date.now(),
}: SealsOptions) {
  const inTurn = takingTurns()

  /** Tells of what was put into the storage. */
  async function raiseAlarm(what: string, content: string): Promise<void> {
    const note = foreign(what)
    log(`${note}: somebody changed the storage`)
    // One alarm, also where several processes find it.
    const id = digestOf(`${what} ${content}`).slice(0, 22)
    await recordSurely({ event: MISLABELLED_EVENT, timeMs: now(), note }, id)
  }

  /** The seal that the next one follows. A seal that follows from nothing is removed: the next one has its number. */
  async function newestSealed(): Promise<Sealed> {
    for (;;) {
      const [newest, before] = await store.newestSeals(2)
      if (!newest) return NO_SEAL
      const claims = claimsIn(newest)
      const isRight = marks.isRight(newest.jws, newest.mac)
      if (!isRight) await raiseAlarm(`the seal ${newest.number}`, newest.jws)
      // It may be ours, of keys that were all replaced at once.
      const isNext = claims && (isRight || (await follows(claims, before)))
      if (isNext) return claims
      await store.removeSeal(newest)
    }
  }

  async function follows(claims: Seal, stored: StoredSeal | undefined): Promise<boolean> {
    const before = stored ? claimsIn(stored) : NO_SEAL
    return (
      claims.number - 1 === before?.number &&
      claims.last >= before.last &&
      claims.last <= (await store.newest()) &&
      claims.hash === sealHashOf(before.hash, claims.root)
    )
  }

  async function sealNow(when: 'anyway' | 'new' | 'old'): Promise<void> {
    const claims = await newestSealed()
    if (when === 'old' && Math.abs(now() - claims.time) < SEAL_HOLDS_MS) return
    const entries = await store.entries({ after: claims.last, limit: ENTRIES_PER_SEAL })
    const isMore = entries.length === ENTRIES_PER_SEAL
    const digests: string[] = []
    for (const entry of entries) {
      if (marks.isRight(entry.digest, entry.mac)) digests.push(entry.digest)
      else await raiseAlarm(`the entry ${entry.number}`, entry.digest)
    }
    if (digests.length === 0 && !isMore && when !== 'anyway') return
    const { number: last = claims.last } = entries.at(-1) ?? {}
    const [number, time, { keepFor }] = [claims.number + 1, now(), store]
    const [count, root] = [digests.length, rootOf(digests)]
    const before = keepFor === undefined ? 0 : Math.max(0, time - keepFor * 1000)
    const hash = sealHashOf(claims.hash, root)
    const seal: Seal = { number, last, count, time, root, hash, before }
    // If another process was first, the next seal has what it left.
    const jws = await sign({ ...seal })
    await store.addSeal({ number, last, jws, mac: marks.markOf(jws) })
    if (isMore) await sealNow('new')
  }

  const sealInTurn = (when: Parameters<typeof sealNow>[0]) =>
    inTurn(
      (before) => before,
      () => sealNow(when),
    )

  /**
   * Seals what is new. Never rejects: stderr tells what is wrong.
   *
   * @param isDue whether it seals also where nothing is new: what was removed since is then told
   */
  async function seal(isDue = false): Promise<void> {
    try {
      if (await endsWithin(SEAL_TIMEOUT_MS, sealInTurn(isDue ? 'anyway' : 'new'))) return
      log(`${SAYS.failing}: it takes too long`)
    } catch (error) {
      log(`${SAYS.failing}: ${reasonOf(error)}`)
    }
  }

  const stopTimer = isTimed
    ? every(
        () => SEAL_EVERY_MS * (0.9 + Math.random() * 0.1),
        () => sealInTurn('old'),
        { says: SAYS, first: SEAL_EVERY_MS * Math.random() },
      )
    : async () => {}

  return {
    sign,
    seal,
    /** @throws Error where no key signs, or somebody changed the newest seal */
    async assertSeals() {
      await sign({ checks: now() })
      const [newest] = await store.newestSeals(1)
      if (!newest || marks.isRight(newest.jws, newest.mac)) return
      throw new Error(`${foreign(`the seal ${newest.number}`)}: somebody changed the storage`)
    },
    /** Seals what is left. */
    async stop() {
      await endsWithin(SEAL_TIMEOUT_MS, stopTimer())
      await seal()
    },
  }
}
