import { inflateSync } from 'node:zlib'
import { type JWTPayload, jwtVerify } from 'jose'
import { check, expectEqual, shown } from '../expect.ts'
import { headerOf } from '../jwt-header.ts'
import { type Answer, Violation } from '../outcome.ts'
import type { Server } from '../server.ts'
import { endByItself } from './end.ts'
import type { Statement } from './statement.ts'

/** How long an end may take to be in the list, in milliseconds. */
const MAX_DELAY_MS = 8000
const POLL_INTERVAL_MS = 250
/** Of an inflated list: 2^20 entries of 8 bits. */
const MAX_LIST_BYTES = 2 ** 20

interface Position {
  readonly idx: number
  readonly uri: string
}

function positionIn({ status }: JWTPayload, answer: Answer): Position {
  const { idx, uri } = Object(Object(status).status_list)
  const isRight = Number.isInteger(idx) && idx >= 0 && typeof uri === 'string'
  check(isRight, `status is ${shown(status)}, and must have status_list.idx and uri`, answer)
  return { idx, uri }
}

/** Fetches and verifies a list, and answers the status at an index. */
async function statusAt(server: Server, { idx, uri }: Position): Promise<number> {
  const headers = { accept: 'application/statuslist+jwt' }
  const answer = await server.send(uri, { what: 'the status list', headers })
  expectEqual(answer.status, 200, 'the status of the list', answer)
  const type = answer.headers.get('content-type')?.split(';', 1)[0]
  expectEqual(type, 'application/statuslist+jwt', 'Content-Type', answer)
  const payload = await jwtVerify(answer.text, await server.keys()).then(
    (verified) => verified.payload,
    (error: Error) => {
      throw new Violation(`the status list is not valid: ${error.message}`, answer)
    },
  )
  expectEqual(headerOf(answer.text).typ, 'statuslist+jwt', 'typ', answer)
  expectEqual(payload.sub, uri, 'sub', answer)
  check(typeof payload.iat === 'number', 'iat is missing', answer)
  const { bits, lst } = Object(payload.status_list)
  const isRight = [1, 2, 4, 8].includes(bits) && typeof lst === 'string'
  check(isRight, 'status_list has no bits or no lst', answer)
  const limit = { maxOutputLength: MAX_LIST_BYTES }
  const bytes = inflateSync(Buffer.from(lst, 'base64url'), limit)
  const bit = idx * bits
  const byte = bytes[Math.floor(bit / 8)]
  if (byte === undefined) throw new Violation('the list ends before the index', answer)
  return (byte >> (bit % 8)) & (2 ** bits - 1)
}

async function impersonateByJwt(server: Server) {
  const { accessToken, exchanged } = await server.impersonate()
  const claims = await server.read(accessToken, exchanged)
  const isOpaque = claims.active !== undefined
  server.need(isOpaque ? undefined : claims, 'resource whose access tokens are JWTs')
  return { accessToken, position: positionIn(claims, exchanged) }
}

export const STATUS_STATEMENTS: readonly Statement[] = [
  {
    number: 'P55',
    part: 'status',
    title: 'an impersonated JWT names its entry in a status list, which says: valid',
    clause:
      'An impersonated JWT MUST have `status.status_list` with `idx` and `uri`. The list MUST be public, signed with a key of the key set, and as draft-ietf-oauth-status-list says. The entry of a live impersonation MUST be 0.',
    async test(server) {
      const { position } = await impersonateByJwt(server)
      expectEqual(await statusAt(server, position), 0, 'the entry in the list')
    },
  },
  {
    number: 'P56',
    part: 'status',
    title: 'within 8 seconds of its end, the list says so',
    clause:
      'Within 8 seconds of the end, a list that is fetched MUST say that the entry is no longer valid: other than 0.',
    async test(server) {
      const { accessToken, position } = await impersonateByJwt(server)
      await endByItself(server, accessToken)
      const deadline = Date.now() + MAX_DELAY_MS
      while ((await statusAt(server, position)) === 0) {
        check(Date.now() < deadline, 'the entry is 0, 8 seconds after the end')
        await server.wait(POLL_INTERVAL_MS)
      }
    },
  },
  {
    number: 'P57',
    part: 'status',
    title: 'the aggregation has the list, and an unknown list is 404',
    clause:
      'The lists MUST be found by `status_list_aggregation_endpoint` of discovery. A list that does not exist MUST get 404, so that an API refuses rather than believes.',
    async test(server) {
      const { position } = await impersonateByJwt(server)
      const url = server.endpoint('statusLists', 'status_list_aggregation_endpoint')
      const answer = await server.send(url, { what: 'the aggregation of status lists' })
      const lists: unknown = answer.json.status_lists
      const isListed = Array.isArray(lists) && lists.includes(position.uri)
      check(isListed, 'status_lists does not have the list of the token', answer)
      const last = position.uri.slice(position.uri.lastIndexOf('/') + 1)
      const unknown = position.uri.replace(last, [...last].reverse().join(''))
      const headers = { accept: 'application/statuslist+jwt' }
      const missing = await server.send(unknown, { what: 'a list that does not exist', headers })
      expectEqual(missing.status, 404, 'the status', missing)
    },
  },
]
