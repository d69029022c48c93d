// A process of a deployment that tells customers, leads and approvers: it writes down each start and what it tells.
// It kills itself at the n-th of these; or it tells the rest, as after a restart; or it has clients for a while.
import { writeSync } from 'node:fs'
import { argv, exit, kill, pid, stdout } from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { createSqliteAdapter } from 'oidc-provider-impersonation/adapters/sqlite'
import { createPermits } from 'oidc-provider-impersonation-console'
import { AUDIENCES } from 'oidc-provider-impersonation-verify/format'
import { type StorageKind, storeAt } from '../../ledger/recording/soak-stores.ts'
import { CUSTOMERS, deploy } from '../../support/deployment.ts'
import { until } from './until.ts'

export type Mode = 'answered' | 'clients' | 'quiet' | 'restart' | 'sending' | 'sent'

const [, , storage = '', place = '', file = '', port = '0', mode = '', count = '0'] = argv
/** `quiet`: no customer is told. */
const hasClients = mode === 'clients' || mode === 'quiet'
const STARTS_AT_MOST = 20
const CLIENTS = 6
/** Later than every attempt of the processes before holds. */
const LATER_MS = 120_000

const { now } = Date
if (mode === 'restart') Date.now = () => now() + LATER_MS

const say = (text: string) => writeSync(stdout.fd, `${text}\n`)
let left = Number(count)
function happens(event: Mode) {
  if (event !== mode) return
  left -= 1
  if (left === 0) kill(pid, 'SIGKILL')
}
function tell(kind: string, about: string, id: string) {
  happens('sending')
  say(`told ${kind} ${about} ${id}`)
  happens('sent')
}

const { store: audit } = await storeAt(storage as StorageKind, place)
const permits = createPermits({
  audit,
  approvers: () => [{ id: 'grace', name: 'Grace Lindqvist' }],
  onPermit: ({ id, kind, permit }) => tell(kind, permit.id, id),
})
const deployment = await deploy({
  audit,
  port: Number(port),
  adapter: createSqliteAdapter({ file }),
  authorize: permits.wrap(({ account }) =>
    account.accountId === 'bob' ? { needs: ['second_person'] } : true,
  ),
  console: {
    permits,
    onAlarm: ({ id, kind, impersonation }) => tell(kind, impersonation.id, id),
    notices: {
      digest: 0,
      ...(hasClients ? {} : { when: ['started'] }),
      ...(mode === 'quiet' ? { when: [] } : {}),
      send: ({ id, kind, impersonations = [] }) => tell(kind, impersonations.join(), id),
    },
  },
})
const customers = CUSTOMERS.map(({ id }) => id).filter((id) => !['bob', 'paula'].includes(id))
const personAt = (index: number) => customers[index % customers.length] ?? ''

if (mode === 'restart') {
  await audit.open()
  const page = { limit: 100, now: now() }
  await until(async () => {
    const all = AUDIENCES.map(async (to) => {
      const filter = { due: { to, before: now() + 9e9 } }
      const ofPermits = await audit.permits(filter, page)
      return (await audit.find(filter, page)).rows.length + ofPermits.permits.length
    })
    return (await Promise.all(all)).every((due) => due === 0)
  }, 60_000)
  const { rows } = await audit.find({}, page)
  for (const { id, startedAt, replays } of rows) {
    if (startedAt !== undefined) say(`known started ${id}`)
    if (replays > 0) say(`known replayed ${id}`)
  }
  for (const { id } of (await audit.permits({}, page)).permits) say(`known requested ${id}`)
  await deployment[Symbol.asyncDispose]()
  exit()
}

if (hasClients) {
  const end = performance.now() + Number(count)
  let starts = 0
  for (const id of customers) deployment.roles.set(id, 'operator')
  const client = async () => {
    while (performance.now() < end) {
      starts += 1
      const customer = personAt(starts)
      const operator = personAt(7 * starts + 1)
      const began = performance.now()
      try {
        const running = await deployment.impersonate({
          operator,
          customer,
          ticket: `${pid}-${starts}`,
        })
        say(`started ${running.id} ${Math.round(performance.now() - began)}`)
        await running.end()
      } catch (error) {
        // One operator may ask to act 60 times a minute: a fast machine waits.
        if (String(error).includes(' 429 ')) await wait(100)
        else say(`failed ${error}`)
      }
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  await deployment[Symbol.asyncDispose]()
  exit()
}

for (const customer of customers.slice(0, STARTS_AT_MOST)) {
  // A ticket has one notice.
  const running = await deployment.impersonate({ customer, ticket: `SUP-${pid}` })
  say(`started ${running.id}`)
  if (customer === 'alice') await running.replay()
  const asked = { userId: 'bob', ticketId: 'SUP-1', reason: 'x', application: 'shop' }
  await deployment.ask('olivia', '/permits', { ...asked, access: 'change' })
  happens('answered')
}
