import createKnex from 'knex'
import { createTable, KnexAdapter } from '../../recipes/knex.ts'
import { onPostgres } from './postgres.ts'

function open(url: string) {
  const knex = createKnex({ client: 'pg', connection: url, pool: { max: 10 } })
  return {
    knex,
    factory: (model: string) => new KnexAdapter(model, knex),
    close: () => knex.destroy(),
  }
}

describe('The recipe for Knex, on PostgreSQL', () => {
  onPostgres(
    async (url) => open(url),
    async (url) => {
      const store = open(url)
      await createTable(store.knex)
      return store
    },
  )
})
