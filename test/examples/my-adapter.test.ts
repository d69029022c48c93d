import { DatabaseSync } from 'node:sqlite'
import { MyAdapter, TABLE } from '../../examples/my-adapter.ts'
import { adapterContract } from '../../src/adapters/testing.ts'

function opened(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.exec(TABLE)
  return database
}

describe('examples/my-adapter.ts', () => {
  adapterContract({
    describe,
    it,
    lifecycle: false,
    create() {
      const database = opened()
      return (model) => new MyAdapter(model, database)
    },
    createBroken() {
      const database = opened()
      database.close()
      return (model) => new MyAdapter(model, database)
    },
  })
})
