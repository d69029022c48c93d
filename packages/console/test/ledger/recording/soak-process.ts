// A process of a deployment under full load: it is its own client. It sends its log to its parent.
import { argv } from 'node:process'
import { CUSTOMERS, deploy } from '../../support/deployment.ts'
import { type StorageKind, storeAt } from './soak-stores.ts'

/** A message of the process to its parent. */
export interface SoakMessage {
  /** The lines of the log since the message before. */
  readonly lines: readonly string[]
  /** Answers that its clients got: `impersonation.started` and the id, and so on. */
  readonly answered: readonly string[]
  /** True once it has stopped, and stored the rest. */
  readonly isOver: boolean
}

const [, , kind, place = '', impersonations] = argv
/** As many impersonations at once as there are operators at work. */
const AT_ONCE = 16

function isKind(name: unknown): name is StorageKind {
  return name === 'sqlite' || name === 'postgres'
}

if (!isKind(kind)) throw new Error(`unknown storage: ${kind}`)
const { store, close } = await storeAt(kind, place)
const deployment = await deploy({ audit: store })
// One operator may ask to act 60 times a minute.
const operators = CUSTOMERS.slice(-AT_ONCE).map(({ id }) => id)
for (const operator of operators) {
  deployment.roles.set(operator, 'operator')
  await deployment.tokenOf(operator)
}
const answered: string[] = []
let sent = 0

function send(isOver: boolean) {
  const lines = deployment.log.slice(sent)
  sent += lines.length
  const message: SoakMessage = { lines, isOver, answered: answered.splice(0) }
  return new Promise<void>((resolve) => process.send?.(message, () => resolve()))
}

/** Every kind of event: what is granted, done, refused, tried again, and ended. */
async function work(operator: string) {
  const running = await deployment.impersonate({ operator })
  answered.push(`impersonation.issued ${running.id}`, `impersonation.started ${running.id}`)
  const { look, change, refused, replay } = running.atOnce
  await Promise.all([look(), look(), change()])
  await Promise.all([refused(), refused()])
  if (left % 2 === 0) {
    await running.end()
    answered.push(`impersonation.ended ${running.id}`)
  } else {
    await Promise.all([replay(), replay(), replay()])
  }
}

let left = Number(impersonations)
async function worker(operator: string) {
  while (left > 0) {
    left -= 1
    await work(operator)
    await send(false)
  }
}

await Promise.all(operators.map(worker))
await deployment[Symbol.asyncDispose]()
await send(true)
await close()
process.disconnect()
