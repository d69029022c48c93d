import { Pool } from 'pg'
import { PostgresAdapter, table } from '../../recipes/postgres.ts'
import { onPostgres } from './postgres.ts'

async function open(url: string) {
  const pool = new Pool({ connectionString: url, max: 10 })
  return {
    factory: (model: string) => new PostgresAdapter(model, pool),
    close: () => pool.end(),
  }
}

describe('The recipe in SQL, on PostgreSQL', () => {
  onPostgres(open, table)
})
