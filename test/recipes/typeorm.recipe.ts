import { DataSource } from 'typeorm'
import { OidcRecord, TypeOrmAdapter } from '../../recipes/typeorm.ts'
import { onPostgres } from './postgres.ts'

async function open(url: string, schema: string) {
  const source = new DataSource({
    type: 'postgres',
    url,
    schema,
    entities: [OidcRecord],
    poolSize: 10,
  })
  await source.initialize()
  return {
    source,
    factory: (model: string) => new TypeOrmAdapter(model, source),
    close: () => source.destroy(),
  }
}

describe('The recipe for TypeORM, on PostgreSQL', () => {
  onPostgres(open, async (url, schema) => {
    const store = await open(url, schema)
    await store.source.synchronize()
    return store
  })
})
