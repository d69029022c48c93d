// A process of a deployment with a storage on disk. It is its own client, writes down each answer the
// moment that it has it, and kills itself then; or it writes what is missing, as after a restart.
import { writeSync } from 'node:fs'
import { argv, kill, pid, stdout } from 'node:process'
import { createSqliteAdapter } from 'oidc-provider-impersonation/adapters/sqlite'
import { reconcile } from '../../../src/ledger/recording/reconciliation.ts'
import { CUSTOMERS, deploy } from '../../support/deployment.ts'
import { quietly } from '../../support/quietly.ts'
import { recorderOn } from './recorder-on.ts'
import { providerOn } from './serverless-provider.ts'
import { type StorageKind, storeAt } from './soak-stores.ts'

const [, , kind = '', place = '', file = '', port = '', answers = '', delay = '0'] = argv
const AT_ONCE = 8
const LATER_MS = 600_000

const { store, close } = await storeAt(kind as StorageKind, place)
const adapter = createSqliteAdapter({ file })
if (answers === 'restart') await restart()
else await work(Number(answers))

/** @param answers after how many the process is killed */
async function work(answers: number): Promise<never> {
  const deployment = await deploy({ audit: store, adapter, port: Number(port) })
  let left = answers
  function answered(event: string, id: string) {
    writeSync(stdout.fd, `impersonation.${event} ${id}\n`)
    left -= 1
    if (left > 0) return
    if (delay === '0') kill(pid, 'SIGKILL')
    else setTimeout(() => kill(pid, 'SIGKILL'), Number(delay))
  }
  async function act(operator: string): Promise<never> {
    for (;;) {
      const running = await deployment.impersonate({ operator, customer: 'alice' })
      answered('started', running.id)
      if (left % 3 === 0) continue
      await running.end()
      answered('ended', running.id)
    }
  }
  const operators = CUSTOMERS.slice(-AT_ONCE).map(({ id }) => id)
  for (const operator of operators) {
    deployment.roles.set(operator, 'operator')
    await deployment.tokenOf(operator)
  }
  return Promise.race(operators.map(act))
}

async function restart() {
  await store.open()
  const recording = recorderOn(store)
  const later = Date.now() + LATER_MS
  const { stdout: written } = await quietly(() =>
    reconcile(providerOn(adapter, port), store, recording, later),
  )
  for (const line of written) {
    const { event, id } = JSON.parse(line)
    writeSync(stdout.fd, `${event} ${id}\n`)
  }
  await recording.close()
  await store.close()
  adapter.close()
  await close()
}
