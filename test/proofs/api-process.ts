// An API with the guard, in a process of its own. Started by ending.proof.ts with the base URLs of the
// provider's copies; tells its own when it is ready.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resourceServer } from '../../packages/resource-server/src/index.ts'
import { ISSUER, ORDERS } from './provider-process.ts'

const copies = process.argv.slice(2)
let asked = 0

const api = resourceServer({
  issuer: ISSUER,
  audience: ORDERS,
  jwksUri: `${ISSUER}/jwks`,
  requireStatus: true,
  // As a balancer does: one copy after the other.
  fetch(url, init) {
    const copy = copies[asked++ % copies.length]
    return fetch(`${copy}${new URL(url).pathname}`, init)
  },
})
const guard = api.connect()
const server = createServer((request, response) =>
  guard(request, response, (error) =>
    response.writeHead(error ? 503 : 200).end(String(error ?? '')),
  ),
)
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
// Ends when the parent process is gone, or says so.
process.once('disconnect', () => process.exit())
