// A process that posts alarms and approvals, and kills itself before or after the post; or one that tells the
// rest, as after a restart.
import { writeSync } from 'node:fs'
import { argv, exit, kill, pid, stdout } from 'node:process'
import { createPermits, type OnAlarm } from 'oidc-provider-impersonation-console'
import { type StorageKind, storeAt } from '../../ledger/recording/soak-stores.ts'
import { deploy } from '../../support/deployment.ts'
import { until } from '../notices/until.ts'

const [, , storage = '', place = '', mode = ''] = argv
/** Later than every attempt of the processes before holds. */
const LATER_MS = 120_000

const { now } = Date
if (mode === 'restart') Date.now = () => now() + LATER_MS

function post(what: string): void {
  if (mode === 'sending') kill(pid, 'SIGKILL')
  writeSync(stdout.fd, `${what}\n`)
  if (mode === 'sent') kill(pid, 'SIGKILL')
}
const onAlarm: OnAlarm = ({ id, kind }) => post(`${kind} ${id}`)

const { store: audit } = await storeAt(storage as StorageKind, place)
await audit.open()
const permits = createPermits({
  audit,
  approvers: () => [{ id: 'grace', name: 'Grace Lindqvist' }],
  onPermit: ({ id, kind }) => post(`${kind} ${id}`),
})
const authorize = permits.wrap(({ account }) =>
  account.accountId === 'bob' ? { needs: ['second_person'] } : true,
)
const deployment = await deploy({ audit, authorize, console: { permits, onAlarm } })
if (mode !== 'restart') {
  await (await deployment.impersonate()).replay()
  await deployment.ask('olivia', '/permits', {
    ...{ userId: 'bob', ticketId: 'SUP-1', reason: 'x', application: 'shop' },
    ...{ access: 'change' },
  })
  // It kills itself while it tells.
  await until(() => false, 60_000)
}
const isDue = async () => {
  const { rows } = await audit.find(
    { due: { to: 'deployment', before: now() + 9e9 } },
    { limit: 1, now: now() },
  )
  const { permits: due } = await audit.permits(
    { due: { to: 'deployment', before: now() + 9e9 } },
    { limit: 1 },
  )
  return rows.length + due.length > 0
}
await until(async () => !(await isDue()), 60_000)
await deployment[Symbol.asyncDispose]()
exit()
