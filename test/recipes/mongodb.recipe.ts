import { type Db, MongoClient } from 'mongodb'
import { MongoAdapter } from '../../examples/recipes/mongodb.ts'
import { adapterContract } from '../../packages/testing/src/adapters/index.ts'
import { memoryMongo } from './memory-mongo.ts'
import { race } from './race.ts'

// A key cannot hold a NUL character, text no lone surrogate, and a pipeline takes no __proto__.
const REFUSED_BY_BSON = [
  'gives back unusual payloads exactly as they were',
  'keeps an own __proto__ at the top of a payload and pollutes no prototype',
  'tells accounts, actors, clients and ids apart, whatever characters they are of',
]

const factoryOf = (db: Db) => (model: string) => new MongoAdapter(model, db)

describe('The recipe for MongoDB, on mingo (a stand-in)', () => {
  const db = memoryMongo()

  adapterContract({
    ending: true,
    describe,
    it: (title, run) => {
      if (!REFUSED_BY_BSON.includes(title)) it(title, run)
    },
    create: () => factoryOf(db),
    createBroken: () =>
      factoryOf(new MongoClient('mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100').db()),
  })

  race(() => [db, db].map(factoryOf))
})
