import { drizzle } from 'drizzle-orm/node-postgres'
import { Pool } from 'pg'
import { DrizzleAdapter } from '../../recipes/drizzle.ts'
import { onPostgres } from './postgres.ts'

// What drizzle-kit makes of the table in drizzle.ts.
const table = `
  CREATE TABLE oidc_records (
    model text NOT NULL, id text NOT NULL, payload text NOT NULL,
    "grantId" text, "userCode" text, uid text,
    "expiresAt" timestamp with time zone, "consumedAt" timestamp with time zone,
    "accountId" text, "clientId" text, actor text, iat bigint, "statusList" text,
    "statusIndex" integer, note text, "noteActor" text, ended text,
    PRIMARY KEY (model, id))`

async function open(url: string) {
  const pool = new Pool({ connectionString: url, max: 10 })
  const db = drizzle({ client: pool })
  return {
    factory: (model: string) => new DrizzleAdapter(model, db),
    close: () => pool.end(),
  }
}

describe('The recipe for Drizzle, on PostgreSQL', () => {
  onPostgres(open, table)
})
