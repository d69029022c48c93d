// `npm start -- --with-history`: a year of audit, as a process that ran for that year would have written it.
import { Provider } from 'oidc-provider-impersonation'
import { signCheckpoint } from 'oidc-provider-impersonation/siblings'
import type { AuditStore } from 'oidc-provider-impersonation-console'
import { slotOf } from 'oidc-provider-impersonation-verify/chain'
import {
  type AnyPermit,
  type AuditEntry,
  foldAny,
  isAboutPermit,
  storedPermitOf,
} from 'oidc-provider-impersonation-verify/format'
// Inside the console, because nothing outside it can write at another time than now.
import { ledgerOf } from '../../../packages/console/src/ledger/recording/ledger.ts'
import {
  type LedgerWriter,
  ledgerWriter,
} from '../../../packages/console/src/ledger/recording/writer.ts'
import type { Config } from '../../config.ts'
import { configuration } from '../../provider.ts'
import type { CreateApp } from '../../server.ts'
import { StartError } from '../../start-error.ts'
import { entriesOfYear, type YearOptions } from './year.ts'

const IMPERSONATIONS = 2000
const ENTRIES_PER_BATCH = 250
/** How long a batch may take, in milliseconds. */
const TIMEOUT_MS = 10_000
/** After so many batches, it says how far it is. */
const BATCHES_PER_LINE = 10

type Sign = (claims: object) => Promise<string>

/**
 * The application, after its audit was filled. It takes no request before.
 *
 * @throws StartError where the audit is another one than the example's own
 */
export function withHistory(
  config: Config,
  createApp: CreateApp,
  impersonations = IMPERSONATIONS,
): CreateApp {
  if (config.production || !config.isAuditOwn) {
    throw new StartError(
      "--with-history fills the example's own audit alone: start it without STORAGE_URL and NODE_ENV=production",
    )
  }
  return async (_, parts) => {
    const { url, storage } = parts
    const begun = performance.now()
    // Before the console begins: its checkpoints say that what is older and comes later was put in.
    const provider = new Provider(`${url}/oidc`, configuration(config, parts))
    const count = await fillAudit(storage.audit, {
      impersonations,
      until: Date.now(),
      resource: `${url}/orders`,
      sign: (claims) => signCheckpoint(provider, claims),
      progress: (stored, all) =>
        console.log(`A year of audit: ${Math.floor((stored / all) * 100)} %`),
    })
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    console.log(`A year of audit: ${count} entries in ${seconds} s\n`)
    return createApp(config, parts)
  }
}

export interface Filling extends YearOptions {
  /** Signs the beginning of the chain, as the provider does. */
  readonly sign: Sign
  /** Told now and then how many of all entries are stored. */
  readonly progress: (stored: number, all: number) => void
}

/**
 * @returns how many entries it stored
 * @throws StartError where the audit is not empty
 */
export async function fillAudit(audit: AuditStore, filling: Filling): Promise<number> {
  const { sign, progress, until } = filling
  const { store } = ledgerOf(audit)
  if ((await store.newest()) !== undefined) {
    throw new StartError(
      '--with-history fills an empty audit, and this one has entries: set DATA_DIR to a new folder',
    )
  }
  const entries = entriesOfYear(filling)
  const writer = ledgerWriter(store, () => entries[0]?.timeMs ?? until)
  const decide = decider(writer, sign)
  for (let from = 0; from < entries.length; from += ENTRIES_PER_BATCH) {
    if ((from / ENTRIES_PER_BATCH) % BATCHES_PER_LINE === 0) progress(from, entries.length)
    const batch = entries.slice(from, from + ENTRIES_PER_BATCH)
    for (const entry of batch.filter(isAboutPermit)) await decide(entry)
    const end = AbortSignal.timeout(TIMEOUT_MS)
    const others = batch.filter((entry) => !isAboutPermit(entry))
    await writer.append(others, { sign, pauses: [100], end })
    if (end.aborted) throw new StartError('the storage of the audit takes too long')
  }
  return entries.length
}

/** Stores entries about permits, each with the permit that it makes. */
function decider({ decide }: LedgerWriter, sign: Sign) {
  const permits = new Map<string, AnyPermit>()
  /** The newest permit of each slot. */
  const holders = new Map<string, string>()
  return async (entry: AuditEntry): Promise<void> => {
    const id = String(entry.permit)
    const before = permits.get(id)
    const record = foldAny(before, entry)
    const slot = slotOf(record)
    const holder = before ? undefined : permits.get(holders.get(slot) ?? '')
    const isStored = await decide(
      {
        entry,
        permit: storedPermitOf(record, slot),
        replaces: before?.version ?? 0,
        slotHolder: holder && { id: holder.id, version: holder.version },
      },
      { sign, left: () => TIMEOUT_MS, least: 0 },
    )
    if (!isStored)
      throw new StartError('another process writes to the audit: end it, and start anew')
    permits.set(id, record)
    if (!before) holders.set(slot, id)
  }
}
