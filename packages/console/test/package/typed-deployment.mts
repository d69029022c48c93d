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
  type Customer,
  type Customers,
  customerAccountClient,
  type DescribedUse,
  type Outcome,
  type PageClientOptions,
  type PermitFilter,
  type RecordRefusal,
  type RecordState,
  type Refusal,
  type Role,
  type RowFilter,
  type RowPage,
  type SearchResult,
  type Sentences,
  type StoredEntry,
  type StoredRecord,
  type StoredRow,
  type StoredSeal,
  type SupportConsole,
  type SupportConsoleOptions,
  supportConsole,
  supportConsoleClient,
  type TakeUses,
  type TakeUsesOptions,
  type UseInWords,
  type Written,
} from 'oidc-provider-impersonation-console'
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
    async write(batch: Batch, deadline: number): Promise<Written> {
      counting.written += batch.entries.length
      return store.write(batch, deadline)
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

/** A report of the deployment. */
export async function report(store: AuditStore, filter: RowFilter): Promise<readonly AuditRow[]> {
  const { rows }: RowPage = await store.find(filter, { limit: 50, now: Date.now() })
  const seals: readonly StoredSeal[] = await store.sealsAfter(0, 9)
  const entries: readonly StoredEntry[] = await store.entries({ limit: seals.length })
  console.log(
    entries.map(({ text }): AuditEntry => JSON.parse(text ?? '{}')),
    seals.length,
  )
  return rows
}
export const wanted: Outcome = 'running'
export const stores = [createPostgresAudit, createSqliteAudit]

/** Other types that a report may name. */
export async function permitsOf(store: AuditStore): Promise<readonly StoredRecord[]> {
  const state: RecordState = 'granted'
  const filter: PermitFilter = { state }
  return (await store.permits(filter, { limit: 9 })).permits
}
export type Exported = StoredRow
