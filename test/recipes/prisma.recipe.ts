import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '../../recipes/prisma/client/client.ts'
import { PrismaAdapter } from '../../recipes/prisma.ts'
import { onPostgres } from './postgres.ts'

// What `prisma migrate` makes of recipes/prisma/schema.prisma. Its engine is a binary that is not on npm.
const table = `
  CREATE TABLE oidc_model (
    id text NOT NULL, type integer NOT NULL, payload jsonb NOT NULL,
    "grantId" text, "userCode" text, uid text,
    "expiresAt" timestamptz(3), "consumedAt" timestamptz(3),
    "accountId" text, "clientId" text, actor text, iat bigint, "statusList" text,
    "statusIndex" integer, note text, "noteActor" text, ended text,
    PRIMARY KEY (id, type))`

async function open(url: string, schema: string) {
  const adapter = new PrismaPg({ connectionString: url, max: 10 }, { schema })
  const prisma = new PrismaClient({ adapter })
  return {
    factory: (model: string) => new PrismaAdapter(model, prisma),
    close: () => prisma.$disconnect(),
  }
}

function elsewhere(url: string) {
  const { href } = Object.assign(new URL(url), { port: '1' })
  return href
}

describe('The recipe for Prisma, on PostgreSQL', () => {
  onPostgres(open, table, {
    jsonb: true,
    // A client that was disconnected connects again.
    broken: (url, schema) => open(elsewhere(url), schema),
  })
})
