import { randomUUID } from 'node:crypto'
import { Client, Pool } from 'pg'
import { POSTGRES_URL } from '../../../../../../test/support/server-urls.ts'

/** A schema of its own, and pools whose tables lie there. */
export async function newSchema(database = POSTGRES_URL) {
  const schema = `audit_test_${randomUUID().replaceAll('-', '')}`
  const pools: Pool[] = []
  const admin = new Client(database)
  await admin.connect()
  await admin.query(`CREATE SCHEMA ${schema}`)
  return {
    schema,
    admin,
    pool(options: { user?: string; name?: string; level?: string } = {}) {
      const { user, name = schema, level = '' } = options
      const url = new URL(database)
      if (user !== undefined) url.username = user
      const pool = new Pool({
        connectionString: url.href,
        options: `-c search_path=${schema} ${level}`,
        application_name: name,
        max: 4,
      })
      // A test ends connections of a pool: those that are idle tell it so.
      pool.on('error', () => {})
      pools.push(pool)
      return pool
    },
    async [Symbol.asyncDispose]() {
      for (const pool of pools) await pool.end()
      await admin.query(`DROP SCHEMA ${schema} CASCADE`)
      await admin.end()
    },
  }
}

/** A schema in a database of its own: nothing else waits for the lock of the audit there. */
export async function newDatabase() {
  const name = `audit_test_${randomUUID().replaceAll('-', '')}`
  const server = new Client(POSTGRES_URL)
  await server.connect()
  await server.query(`CREATE DATABASE ${name}`)
  const url = new URL(POSTGRES_URL)
  url.pathname = `/${name}`
  const schema = await newSchema(url.href)
  return {
    ...schema,
    url: url.href,
    async [Symbol.asyncDispose]() {
      await schema[Symbol.asyncDispose]()
      await server.query(`DROP DATABASE ${name}`)
      await server.end()
    },
  }
}
