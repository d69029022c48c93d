import assert from 'node:assert/strict'
import { Firestore } from '@google-cloud/firestore'
import { FirestoreAdapter } from '../../examples/recipes/firestore.ts'
import { adapterContract } from '../../packages/testing/src/adapters/index.ts'
import { startFirestoreServer } from './firestore-server.ts'
import { race } from './race.ts'

// There are no credentials to look for at Google.
process.env.METADATA_SERVER_DETECTION = 'none'

const connect = (port: number) =>
  new Firestore({ projectId: 'test', host: `127.0.0.1:${port}`, ssl: false })
const factoryOf = (db: Firestore) => (model: string) => new FirestoreAdapter(model, db)

describe('The recipe for Firestore, on its client and documents in memory (a stand-in)', () => {
  let server: Awaited<ReturnType<typeof startFirestoreServer>>
  let refusing: typeof server
  let broken: Firestore
  let first: Firestore
  let second: Firestore

  before(async () => {
    server = await startFirestoreServer()
    refusing = await startFirestoreServer({ refuses: true })
    broken = connect(refusing.port)
    first = connect(server.port)
    second = connect(server.port)
  })
  after(async () => {
    await first.terminate()
    await second.terminate()
    await broken.terminate()
    server.stop()
    refusing.stop()
  })

  adapterContract({
    ending: true,
    describe,
    it,
    create: () => factoryOf(first),
  })

  // All at once: the client asks again for seconds before it gives up.
  it('rejects when Firestore refuses, with every method', async () => {
    const adapter = factoryOf(broken)('SubjectToken')
    const outcomes = await Promise.allSettled([
      adapter.upsert('id', { jti: 'id' }, 60),
      adapter.find('id'),
      adapter.findByUid('uid'),
      adapter.findByUserCode('code'),
      adapter.consume('id'),
      adapter.consumeOnce('id'),
      adapter.destroy('id'),
      adapter.revokeByGrantId('grant'),
      adapter.endOnce('id', { at: 1 }),
      adapter.list({ accountId: 'alice' }, 1),
      adapter.endedIndices('list'),
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      outcomes.map(() => 'rejected'),
    )
  })

  race(() => [first, second].map(factoryOf))
})
