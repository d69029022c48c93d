// A process of a deployment that tells customers by SMTP. It writes down each start and each notice, and kills
// itself: when it has started so many, or in the middle of a notice. Or it tells the rest, as after a restart.
import { writeSync } from 'node:fs'
import { argv, exit, kill, pid, stdout } from 'node:process'
import { createTransport } from 'nodemailer'
import { createSqliteAdapter } from 'oidc-provider-impersonation/adapters/sqlite'
import { type StorageKind, storeAt } from '../../ledger/recording/soak-stores.ts'
import { CUSTOMERS, deploy } from '../../support/deployment.ts'
import { until } from './until.ts'

export type Killed = 'answered' | 'sending' | 'sent'

const [, , kind = '', place = '', file = '', port = '', smtp = '', mode = '', count = '0'] = argv
const STARTS_AT_MOST = 20
/** Later than every attempt of the processes before holds. */
const LATER_MS = 120_000

const isRestart = mode === 'restart'
const { now } = Date
if (isRestart) Date.now = () => now() + LATER_MS

const mail = createTransport(smtp)
const { store } = await storeAt(kind as StorageKind, place)
const say = (text: string) => writeSync(stdout.fd, `${text}\n`)
let left = Number(count)
function happens(event: Killed): void {
  if (event !== mode) return
  left -= 1
  if (left === 0) kill(pid, 'SIGKILL')
}

const deployment = await deploy({
  ...{ audit: store, adapter: createSqliteAdapter({ file }), port: Number(port) },
  console: {
    notices: {
      ...{ digest: 0, when: ['started'] },
      async send({ id, customer, impersonations = [], subject, text, html }) {
        happens('sending')
        await mail.sendMail({
          ...{ from: 'support@example.com', subject, text, html },
          to: { name: customer.name ?? '', address: customer.email ?? '' },
          messageId: `<${id}@example.com>`,
          headers: { 'x-impersonation': impersonations.join() },
        })
        happens('sent')
      },
    },
  },
})

if (isRestart) {
  const { impersonation } = deployment.provider
  await until(async () => {
    const { items } = await impersonation.list({ limit: 100 })
    const rows = await Promise.all(items.map(({ id }) => store.row(id)))
    return items.every(
      ({ startedAt }, index) =>
        startedAt === undefined || rows[index]?.deliveries?.customer?.told.started === 1,
    )
  }, 60_000)
  const { items } = await impersonation.list({ limit: 100 })
  for (const { id, startedAt } of items) if (startedAt !== undefined) say(`known ${id}`)
  await deployment[Symbol.asyncDispose]()
  exit()
}

for (const { id } of CUSTOMERS.slice(0, STARTS_AT_MOST)) {
  if (id === 'paula') continue
  // What is for one ticket is one notice.
  const running = await deployment.impersonate({ customer: id, ticket: `SUP-${pid}` })
  say(`started ${running.id}`)
  happens('answered')
}
