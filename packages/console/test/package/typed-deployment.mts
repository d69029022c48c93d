// Names all types of the package, as a deployment in TypeScript does: see package.proof.ts. It is
// compiled there, and is never run.
import { Provider } from 'oidc-provider-impersonation'
import {
  type Alarm,
  type AlarmKind,
  type Application,
  type AuditEntry,
  type AuditPerson,
  type AuditRow,
  type AuditStore,
  type Batch,
  type ChainHead,
  type ChainLink,
  type Customer,
  type Customers,
  customerAccountClient,
  type Decision,
  type DescribedUse,
  type FiledPermit,
  type FiledRow,
  type NamedEntry,
  type NewRecord,
  type Outcome,
  type PageClientOptions,
  type PermitFilter,
  type RecordRefusal,
  type Refusal,
  type RemovedFrom,
  type Repetition,
  type Role,
  type RowFilter,
  type RowPage,
  type SearchResult,
  type Sentences,
  type StoredEntry,
  type StoredPermit,
  type StoredPermitState,
  type StoredRow,
  type SupportConsole,
  type SupportConsoleOptions,
  supportConsole,
  supportConsoleClient,
  type TakeUses,
  type TakeUsesOptions,
  type UseInWords,
} from 'oidc-provider-impersonation-console'
import { foldBatch, UnstorableError } from 'oidc-provider-impersonation-console/audit/contract'
import { createPostgresAudit } from 'oidc-provider-impersonation-console/audit/postgres'
import { createSqliteAudit } from 'oidc-provider-impersonation-console/audit/sqlite'

const page: PageClientOptions = { url: 'https://id.example.com' }
const provider = new Provider('https://id.example.com/oidc', {
  clients: [supportConsoleClient(page), customerAccountClient(page)],
})

const alice: Customer = { id: 'alice', name: 'Alice Ng', details: { City: 'Leipzig' } }
const customers: Customers = {
  search: (text, { offset, limit }): SearchResult => ({
    customers: [alice].filter(({ name }) => name.includes(text)).slice(offset, offset + limit),
    more: false,
  }),
  get: async (id) => (id === alice.id ? alice : undefined),
}
const applications: readonly Application[] = [
  {
    name: 'Shop',
    names: { de: 'Laden' },
    url: 'https://shop.example.com/',
    clientId: 'shop',
    resource: 'https://shop.example.com/api',
    scopes: { read: 'orders:read', change: 'orders:write' },
  },
]
const french: Sentences = { account: { title: 'Qui a agi en votre nom' } }
const describe: UseInWords = ({ method, path, refused }: DescribedUse, language) =>
  refused ? undefined : `${language}: ${method} ${path}`

/** A store of the package that also counts what it writes. */
function counted(store: AuditStore): AuditStore & { written: number } {
  const counting = {
    ...store,
    written: 0,
    async append(batch: Batch): Promise<readonly string[]> {
      const records: readonly NewRecord[] = batch.records
      const repetitions: readonly Repetition[] = batch.repetitions
      counting.written += records.length + repetitions.length
      return store.append(batch)
    },
  }
  return counting
}

export const options: SupportConsoleOptions = {
  clientId: 'support-console',
  issueAs: 'support-backend',
  role: async ({ accountId }): Promise<Role | undefined> =>
    accountId === 'olivia' ? 'operator' : undefined,
  customers,
  applications,
  audit: counted(createSqliteAudit({ file: ':memory:' })),
  account: { clientId: 'customer-account', describe },
  words: { fr: french },
  ticket: { pattern: /SUP-\d+/, url: (ticket) => `https://tickets.example.com/${ticket}` },
  onAlarm({ kind, impersonation, url }: Alarm) {
    const named: AlarmKind = kind
    const operator: AuditPerson | undefined = impersonation.operator
    console.log(named, operator?.name, url)
  },
}

const support: SupportConsole = supportConsole(provider, options)
const record: RecordRefusal = support.recordRefusal
const senders: TakeUsesOptions = { clients: ['orders-api'] }
export const uses: TakeUses = support.takeUses(senders)
export const refused = (refusal: Refusal) => record(refusal)

/** What a report of the deployment reads. */
export async function report(store: AuditStore, filter: RowFilter): Promise<readonly AuditRow[]> {
  const { rows }: RowPage = await store.find(filter, { limit: 50, now: Date.now() })
  const heads: readonly ChainHead[] = await store.heads()
  const removed: readonly RemovedFrom[] = await store.removed()
  const entries: readonly StoredEntry[] = await store.entries({ limit: heads.length })
  console.log(
    entries.map(({ text }): AuditEntry => JSON.parse(text ?? '{}')),
    removed.length,
  )
  return rows
}
export const wanted: Outcome = 'running'
export const stores = [createPostgresAudit, createSqliteAudit]

/** What a store of the deployment's own does, with the types of its parameters and results. */
export async function decideAlone(store: AuditStore, decision: Decision): Promise<boolean> {
  const links: readonly ChainLink[] = decision.batch.records
  if (links.length === 0) throw new UnstorableError('a decision has an entry')
  const rows: readonly AuditRow[] = foldBatch(decision.batch, [])
  const state: StoredPermitState = 'granted'
  const filter: PermitFilter = { state }
  const { permits } = await store.permits(filter, { limit: rows.length + 1 })
  const known: StoredPermit | undefined = permits.find(({ id }) => id === decision.permit.id)
  const filed: readonly FiledPermit[] = (await store.filedPermits({ limit: 1 })).permits
  const all: readonly FiledRow[] = (await store.filedRows({ limit: 1 })).rows
  const named: readonly NamedEntry[] = [...filed, ...all].flatMap(({ entries }) => entries)
  const stored: StoredRow | undefined = all[0]?.row
  return known === undefined && named.length === 0 && stored === undefined
}
