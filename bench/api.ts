// An API in its own process, with the guard as it is by default. Argument: ApiOptions in JSON.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resourceServer, StatusUnavailable } from '../packages/resource-server/src/index.ts'
import { leaveEndToParent } from './interrupt.ts'
import type { Question } from './process.ts'

/** Options that the API starts with. */
export interface ApiOptions {
  readonly issuer: string
  readonly alg: string
}

const { issuer, alg }: ApiOptions = JSON.parse(process.argv[2] ?? '{}')
leaveEndToParent()
const guard = resourceServer({ issuer, audience: 'https://api.example.com', algorithms: [alg] })
const protect = guard.connect()
const server = createServer((request, response) => {
  protect(request, response, (error) => {
    response.statusCode = error === undefined ? 200 : error instanceof StatusUnavailable ? 503 : 500
    response.end(error === undefined ? '' : String(error))
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.({ base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
process.on('message', ({ ask }: Question) => {
  if (ask === 'stop') process.disconnect()
})
