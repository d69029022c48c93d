import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import type { ApiOptions } from './api.ts'
import { onInterrupt } from './interrupt.ts'
import { newKey } from './key.ts'
import { ALL_SCOPES, Load } from './load.ts'
import { type PartProcess, startPart, startServer } from './process.ts'
import { openStorage } from './storages/open.ts'

/** A deployment: copies of the provider on one storage, a balancer before them, an API. */
export interface Deployment {
  /** How many copies of the provider there are. */
  readonly copies: number
  /** Sends to the first copy. */
  readonly first: Load
  /** Sends to the last copy: to another one, where there is more than one. */
  readonly last: Load
  /** Presents an access token to the API, and resolves the status of the answer. */
  call(accessToken: string): Promise<number>
  /** Ends all copies of the provider as a crash would. */
  crash(): Promise<void>
  stop(): Promise<void>
}

/** Starts two copies of the provider, one of them where the storage lives in one process. */
export async function deploy(storage: string, alg: string): Promise<Deployment> {
  const shared = { store: `shared_${process.pid}`, key: await newKey(alg) }
  // Opened here as well: it must be there before the copies, and be emptied after they crashed.
  const store = await openStorage(storage, { name: shared.store })
  const balancer = await startBalancer()
  const servers: PartProcess[] = []
  const start = async () => {
    const options = { storage, alg, ends: true, shared: { ...shared, base: balancer.base } }
    servers.push(await startServer(options))
  }
  let removed: Promise<void> | undefined
  const removeStore = () => {
    removed ??= store.empty().then(() => store.close())
    return removed
  }
  // First in, last out: the copies stop before the store is emptied.
  const forget = onInterrupt(removeStore)
  await start()
  if (storage !== 'memory') await start()
  balancer.send(servers.map(({ base }) => base))

  const apiOptions: ApiOptions = { issuer: `${balancer.base}/oidc`, alg }
  const api = await startPart(fileURLToPath(new URL('api.ts', import.meta.url)), apiOptions)
  const calls = new Pool(api.base, { connections: 64, pipelining: 1 })
  const loads = [servers[0], servers.at(-1)].map((server) => {
    if (!server) throw new Error('no copy has started')
    return new Load({ server, connections: 32, publicBase: balancer.base })
  })
  const [first, last] = loads
  if (!first || !last) throw new Error('no copy has started')
  for (const load of loads) await load.open(ALL_SCOPES)

  const crash = async () => {
    await Promise.all(servers.splice(0).map((server) => server.kill()))
  }
  return {
    copies: servers.length,
    first,
    last,
    async call(accessToken) {
      const headers = { authorization: `Bearer ${accessToken}` }
      const response = await calls.request({ method: 'GET', path: '/', headers })
      const text = await response.body.text()
      if (response.statusCode === 500) throw new Error(`the API failed: ${text}`)
      return response.statusCode
    },
    crash,
    async stop() {
      await Promise.all([first.close(), last.close(), calls.close()])
      await crash()
      await api.stop()
      await balancer.stop()
      await removeStore()
      forget()
    },
  }
}

/** A balancer of connections: each goes to the next copy, and is cut where that is gone. */
async function startBalancer() {
  const open = new Set<Socket>()
  let targets: readonly URL[] = []
  let next = 0
  const server = createServer((socket) => {
    const target = targets[next % targets.length]
    next += 1
    const copy = connect(Number(target?.port), target?.hostname)
    for (const [here, there] of [
      [socket, copy],
      [copy, socket],
    ] as const) {
      open.add(here)
      here.pipe(there)
      here.on('error', () => {})
      here.on('close', () => {
        open.delete(here)
        there.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    send(bases: readonly string[]) {
      targets = bases.map((base) => new URL(base))
    },
    async stop() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
