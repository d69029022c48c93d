// Prisma 4.4.0 or later: in an older one `updateMany` selects first, so that two callers win
// (https://github.com/prisma/prisma/issues/8612). JSONB refuses NUL characters and lone surrogates, so
// a payload with one rejects; no subject token has one.

import type { AdapterPayload } from 'oidc-provider'
import type {
  ConsumptionNote,
  EndingAdapter,
  EndNote,
  ListedBefore,
  LookUp,
} from 'oidc-provider-impersonation/adapters/contract'
import type { PrismaClient } from './prisma/client/client.ts'
import { type Fate, keyOf, lookedUp, memberKey, payloadOf, recordOf } from './record.ts'
import { AFTER, NEWEST_FIRST, upsertSql } from './sql.ts'

interface Where {
  id?: string
  grantId?: string
  uid?: string
  userCode?: string
}

interface Row extends Fate {
  payload: unknown
}

// The community adapter's list, and what it lacks. Append: the place in the list is what is stored.
const types = [
  'Session',
  'AccessToken',
  'AuthorizationCode',
  'RefreshToken',
  'DeviceCode',
  'ClientCredentials',
  'Client',
  'InitialAccessToken',
  'RegistrationAccessToken',
  'Interaction',
  'ReplayDetection',
  'PushedAuthorizationRequest',
  'Grant',
  'BackchannelAuthenticationRequest',
  'PreAuthorizedCode',
  'SubjectToken',
]

export class PrismaAdapter implements EndingAdapter {
  readonly consumesEveryModel = true
  readonly #prisma: PrismaClient
  readonly #model: string
  readonly #type: number

  constructor(model: string, prisma: PrismaClient) {
    if (!types.includes(model)) throw new TypeError(`add ${model} to the list of types`)
    this.#prisma = prisma
    this.#model = model
    this.#type = types.indexOf(model) + 1
  }

  // Prisma 4.4.0 or later: updateMany() of an older one reads the ids first, and two callers win.
  async consumeOnce(id: string, note?: ConsumptionNote) {
    const noteActor = memberKey(note?.actor)
    const { count } = await this.#prisma.oidcModel.updateMany({
      where: { ...this.#live({ id: keyOf(id) }), consumedAt: null, ended: null },
      data: {
        consumedAt: new Date(),
        ...(note && { note: JSON.stringify(note) }),
        ...(noteActor && { noteActor, actor: noteActor }),
      },
    })
    return count === 1
  }

  async consume(id: string) {
    await this.#prisma.oidcModel.updateMany({
      where: this.#live({ id: keyOf(id) }),
      data: { consumedAt: new Date() },
    })
  }

  // prisma.oidcModel.upsert() cannot say that a column keeps what it has.
  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const record = {
      id: keyOf(id),
      type: this.#type,
      payload: JSON.stringify(payload),
      ...recordOf(this.#model, payload, expiresIn),
    }
    const sql = upsertSql('oidc_model', record, ['id', 'type'])
    await this.#prisma.$executeRawUnsafe(sql, ...Object.values(record))
  }

  async endOnce(id: string, end: EndNote) {
    const { count } = await this.#prisma.oidcModel.updateMany({
      where: { ...this.#live({ id: keyOf(id) }), ended: null },
      data: { ended: JSON.stringify(end) },
    })
    return count === 1
  }

  // Prisma's own order would be that of the database's locale.
  async list(lookUp: LookUp, limit: number, before?: ListedBefore) {
    const members = Object.entries(lookedUp(lookUp))
    const values = [this.#type, new Date(), limit, ...members.map(([, value]) => value)]
    const conditions = members.map(([name], index) => ` AND "${name}" = $${index + 4}`)
    if (before) {
      conditions.push(` AND ${AFTER}($${values.length + 1}, $${values.length + 2})`)
      values.push(before.iat, keyOf(before.id))
    }
    const rows = await this.#prisma.$queryRawUnsafe<Row[]>(
      `SELECT payload, "consumedAt", note, ended FROM oidc_model
      WHERE type = $1 AND "accountId" IS NOT NULL
        AND ("expiresAt" IS NULL OR "expiresAt" > $2)${conditions.join('')}
      ORDER BY ${NEWEST_FIRST} LIMIT $3`,
      ...values,
    )
    return rows.map(found)
  }

  async endedIndices(list: string) {
    const rows = await this.#prisma.oidcModel.findMany({
      select: { statusIndex: true },
      distinct: ['statusIndex'],
      where: {
        ...this.#live({}),
        statusList: keyOf(list),
        ended: { not: null },
        statusIndex: { not: null },
      },
    })
    return rows.map(({ statusIndex }) => Number(statusIndex))
  }

  #live(where: Where) {
    const live = { OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] }
    return { type: this.#type, ...where, ...live }
  }

  async #find(where: Where) {
    const row = await this.#prisma.oidcModel.findFirst({ where: this.#live(where) })
    return row ? found(row) : undefined
  }

  find(id: string) {
    return this.#find({ id: keyOf(id) })
  }

  findByUid(uid: string) {
    return this.#find({ uid: keyOf(uid) })
  }

  findByUserCode(userCode: string) {
    return this.#find({ userCode: keyOf(userCode) })
  }

  async destroy(id: string) {
    await this.#delete({ id: keyOf(id) })
  }

  async revokeByGrantId(grantId: string) {
    await this.#delete({ grantId: keyOf(grantId) })
  }

  async #delete(where: Where) {
    await this.#prisma.oidcModel.deleteMany({ where: { type: this.#type, ...where } })
  }
}

function found(row: Row) {
  if (!isRecord(row.payload)) throw new TypeError('a payload that is no object')
  return payloadOf(row.payload, row)
}

function isRecord(payload: unknown): payload is AdapterPayload {
  return typeof payload === 'object' && payload !== null && !Array.isArray(payload)
}
