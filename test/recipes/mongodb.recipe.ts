import assert from 'node:assert/strict'
import { MongoClient } from 'mongodb'
import { MongoAdapter } from '../../examples/recipes/mongodb.ts'
import { adapterContract } from '../../packages/testing/src/adapters/index.ts'
import { startMongoServer } from './mongo-server.ts'
import { itExcept, race } from './race.ts'

// A key cannot hold a NUL character, text no lone surrogate, and a pipeline takes no __proto__.
const REFUSED_BY_BSON = [
  'gives back unusual payloads exactly as they were',
  'keeps an own __proto__ at the top of a payload and pollutes no prototype',
  'tells accounts, actors, clients and ids apart, whatever characters they are of',
]

const connect = (url: string) => new MongoClient(url, { serverApi: '1', maxPoolSize: 10 })
const factoryOf = (client: MongoClient) => (model: string) => new MongoAdapter(model, client.db())

describe('The recipe for MongoDB, on its driver and mingo (a stand-in)', () => {
  let server: Awaited<ReturnType<typeof startMongoServer>>
  let first: MongoClient
  let second: MongoClient

  before(async () => {
    server = await startMongoServer()
    first = await connect(server.url).connect()
    second = await connect(server.url).connect()
  })
  after(async () => {
    await first.close()
    await second.close()
    await server.stop()
  })

  adapterContract({
    ending: true,
    describe,
    it: itExcept(...REFUSED_BY_BSON),
    create: () => factoryOf(first),
    createBroken: () => factoryOf(connect('mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100')),
  })

  race(() => [first, second].map(factoryOf))

  it('creates its indexes, among them the one that removes what has expired', async () => {
    await new MongoAdapter('SubjectToken', first.db()).createIndexes()
    const indexes = await first.db().collection('subject_token').indexes()
    const [ttl] = indexes.filter(({ key }) => 'expiresAt' in key)
    assert.equal(ttl?.expireAfterSeconds, 0)
  })
})
