import { FirestoreAdapter } from '../../examples/recipes/firestore.ts'
import { adapterContract } from '../../packages/testing/src/adapters/index.ts'
import { memoryFirestore } from './memory-firestore.ts'
import { race } from './race.ts'

const factoryOf = (db: ReturnType<typeof memoryFirestore>) => (model: string) =>
  new FirestoreAdapter(model, db)

describe('The recipe for Firestore, on documents in memory (a stand-in)', () => {
  const db = memoryFirestore()

  adapterContract({
    ending: true,
    describe,
    it,
    create: () => factoryOf(db),
    createBroken: () => factoryOf(memoryFirestore({ refuses: true })),
  })

  race(() => [db, db].map(factoryOf))
})
