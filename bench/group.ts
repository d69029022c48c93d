import { onInterrupt } from './interrupt.ts'
import { newKey } from './key.ts'
import { type PartProcess, type Questions, startServer } from './process.ts'
import { openStorage } from './storages/open.ts'
import { together } from './use.ts'

/** Connections to PostgreSQL that all processes of a group open together. */
const POOL_SIZE = 16

/** Processes of the provider on one port and one store. */
export interface Group {
  readonly server: Pick<PartProcess, 'ask' | 'base'>
  stop(): Promise<void>
}

/** Starts that many processes. The kernel gives each connection to one of them (`SO_REUSEPORT`). */
export async function startGroup(storage: string, alg: string, count: number): Promise<Group> {
  const store = `group${count}_${process.pid}`
  const key = await newKey(alg)
  const opened = await openStorage(storage, { name: store, poolSize: 1 })
  let removed: Promise<void> | undefined
  const remove = () => {
    removed ??= opened.empty().then(() => opened.close())
    return removed
  }
  // First in, last out: the processes stop before the store is emptied.
  const forget = onInterrupt(remove)
  const poolSize = Math.ceil(POOL_SIZE / count)
  const first = await startServer({ storage, alg, poolSize, shared: { store, key, port: 0 } })
  const { base } = first
  const shared = { store, key, base, port: Number(new URL(base).port) }
  const servers = [first]
  while (servers.length < count) {
    servers.push(await startServer({ storage, alg, poolSize, shared }))
  }
  return {
    server: { base, ask: askAll(servers) },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()))
      await remove()
      forget()
    },
  }
}

type Answers = {
  [Q in keyof Questions]: (parameter: Questions[Q]['parameter']) => Promise<Questions[Q]['answer']>
}

/** Asks all processes where the answer is that of all, and the first one else. */
function askAll(all: readonly PartProcess[]): PartProcess['ask'] {
  const [first] = all
  if (!first) throw new Error('no process')
  const answers: Answers = {
    async cpu() {
      const times = await Promise.all(all.map((server) => server.ask('cpu', undefined)))
      return times.reduce((sum, time) => sum + time)
    },
    async gc() {
      await Promise.all(all.map((server) => server.ask('gc', undefined)))
    },
    use: async () => together(await Promise.all(all.map((server) => server.ask('use', undefined)))),
    memory: () => first.ask('memory', undefined),
    audited: () => first.ask('audited', undefined),
    left: () => first.ask('left', undefined),
    fill: (count) => first.ask('fill', count),
  }
  return (question, parameter) => answers[question](parameter)
}
