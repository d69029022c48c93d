import { DatabaseSync } from 'node:sqlite'
import { MyAdapter, TABLE_SQL } from '../../examples/my-adapter.ts'
import { adapterContract } from '../../packages/testing/src/adapters/index.ts'

function opened(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.exec(TABLE_SQL)
  return database
}

describe('examples/my-adapter.ts', () => {
  adapterContract({
    describe,
    it,
    ending: false,
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
