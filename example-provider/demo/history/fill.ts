// `npm start -- --with-history`: a year of audit, as a process that ran for that year would have written it.
import { Provider } from 'oidc-provider-impersonation'
import type { AuditStore } from 'oidc-provider-impersonation-console'
// Inside the console, because nothing outside it can write at another time than now.
import { pendingOf } from '../../../packages/console/src/ledger/recording/compose.ts'
import { ledgerOf } from '../../../packages/console/src/ledger/recording/ledger.ts'
import type { Config } from '../../config.ts'
import { configuration } from '../../provider.ts'
import type { CreateApp } from '../../server.ts'
import { StartError } from '../../start-error.ts'
import { entriesOfYear, type YearOptions } from './year.ts'

const IMPERSONATIONS = 2000
const ENTRIES_PER_BATCH = 250
/** The timeout of a batch, in milliseconds. */
const TIMEOUT_MS = 10_000
/** After so many batches, it says how far it is. */
const BATCHES_PER_LINE = 10

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
    const provider = new Provider(`${url}/oidc`, configuration(config, parts))
    const count = await fillAudit(storage.audit, {
      impersonations,
      until: Date.now(),
      resource: `${url}/orders`,
      provider,
      progress: (stored, all) =>
        console.log(`A year of audit: ${Math.floor((stored / all) * 100)} %`),
    })
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    console.log(`A year of audit: ${count} entries in ${seconds} s\n`)
    return createApp(config, parts)
  }
}

export interface Filling extends YearOptions {
  /** The provider by whose keys entries are marked. */
  readonly provider: Provider
  /** Told now and then how many of all entries are stored. */
  readonly progress: (stored: number, all: number) => void
}

/**
 * @returns how many entries it stored
 * @throws StartError where the audit is not empty
 */
export async function fillAudit(audit: AuditStore, filling: Filling): Promise<number> {
  const { provider, progress } = filling
  const { store, log, marks } = ledgerOf(audit)
  marks.attach(provider)
  if ((await store.newest()) > 0) {
    throw new StartError(
      '--with-history fills an empty audit, and this one has entries: set DATA_DIR to a new folder',
    )
  }
  const entries = entriesOfYear(filling)
  for (let from = 0; from < entries.length; from += ENTRIES_PER_BATCH) {
    if ((from / ENTRIES_PER_BATCH) % BATCHES_PER_LINE === 0) progress(from, entries.length)
    const end = AbortSignal.timeout(TIMEOUT_MS)
    const batch = entries.slice(from, from + ENTRIES_PER_BATCH).map(pendingOf)
    await log.append(batch, end)
    if (end.aborted) throw new StartError('the storage of the audit takes too long')
  }
  return entries.length
}
