import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { hasEnding } from '../../src/adapters/contract.ts'
import { idOf } from '../support/deployment.ts'
import { type ProviderProcess, startProvider, succeeded } from './providers.ts'
import { openStorage } from './storage.ts'
import { onStores } from './stores.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 500)
/** The longest time by which the end comes after the exchange, in milliseconds. */
const MAX_LATER_MS = 12

/** Each ends one impersonation: the names are of one round alone. */
const FILTERS: Record<string, (names: { operator: string; userId: string }) => object> = {
  'by operator': ({ operator }) => ({ actor: operator }),
  'by client': ({ userId }) => ({ client: 'console', userId }),
  'by permit': ({ userId }) => ({ permit: `permit of ${userId}` }),
  'by user': ({ userId }) => ({ userId }),
}

describe('I11, I14: ends see starts, in two processes', () => {
  onStores(['sqlite', 'node-redis', 'ioredis', 'pg'], (store) => {
    let one: ProviderProcess
    let other: ProviderProcess
    let storage: Awaited<ReturnType<typeof openStorage>>

    before(async () => {
      const start = () => startProvider({ storage: store.spec() })
      ;[one, other] = await Promise.all([start(), start()])
      storage = await openStorage(store.spec())
    })
    after(async () => {
      await storage?.close()
      await Promise.all([one?.stop(), other?.stop()])
    })

    for (const [what, filterOf] of Object.entries(FILTERS)) {
      it(`of ${ROUNDS} exchanges that race an end ${what}, none issues a token that lives`, async function () {
        this.timeout(300_000)
        const records = storage.adapter('SubjectToken')
        if (!hasEnding(records)) throw new Error('no ends')
        const issued = { before: 0, refused: 0, living: [] as number[] }
        for (let round = 0; round < ROUNDS; round += 1) {
          const [operator, userId] = ['olivia', 'alice'].map(
            (name) => `${name}-${what.slice(3)}-${round}`,
          )
          const names = { operator: String(operator), userId: String(userId) }
          const subjectToken = await one.subjectToken(names.userId)
          const actorToken = await one.actorToken(names.operator)
          const exchange = one.exchange(subjectToken, actorToken)
          await wait((round % 25) * (MAX_LATER_MS / 25))
          const { status, body } = await other.end('end', filterOf(names))
          expect(status, body).to.equal(200)
          // The end has resolved, so it is in the storage, whatever the exchange still does.
          const answer = await exchange
          if (!succeeded(answer)) {
            expect(answer.status, answer.body).to.equal(400)
            issued.refused += 1
            continue
          }
          issued.before += 1
          const record = await records.find(idOf(subjectToken))
          const indices = await records.endedIndices(String(record?.statusList))
          const hasEnded = record?.end !== undefined && indices.includes(Number(record.statusIndex))
          if (!hasEnded) issued.living.push(round)
        }
        console.log(`      ${issued.before} issued and ended, ${issued.refused} refused`)
        expect(issued.living).to.deep.equal([])
      })
    }
  })
})
