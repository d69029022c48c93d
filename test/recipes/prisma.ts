import type { AdapterPayload } from 'oidc-provider'
import type { SingleUseAdapter } from '../../src/adapters/contract.ts'
import type { PrismaClient } from './prisma/client/client.ts'
import { keyOf, payloadOf, recordOf } from './record.ts'

interface Where {
  id?: string
  grantId?: string
  uid?: string
  userCode?: string
}

// #region recipe
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

export class PrismaAdapter implements SingleUseAdapter {
  readonly consumesEveryModel = true
  readonly #prisma: PrismaClient
  readonly #type: number

  constructor(model: string, prisma: PrismaClient) {
    if (!types.includes(model)) throw new TypeError(`add ${model} to the list of types`)
    this.#prisma = prisma
    this.#type = types.indexOf(model) + 1
  }

  // Prisma 4.4.0 or later: updateMany() of an older one reads the ids first, and two callers win.
  async consumeOnce(id: string) {
    const { count } = await this.#prisma.oidcModel.updateMany({
      where: { ...this.#live({ id: keyOf(id) }), consumedAt: null },
      data: { consumedAt: new Date() },
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
    const record = recordOf(payload, expiresIn)
    await this.#prisma.$executeRaw`
      INSERT INTO oidc_model AS stored
        (id, type, payload, "grantId", "userCode", uid, "expiresAt", "consumedAt")
      VALUES (${keyOf(id)}, ${this.#type}, ${JSON.stringify(payload)}::jsonb,
        ${record.grantId}, ${record.userCode}, ${record.uid}, ${record.expiresAt}, ${record.consumedAt})
      ON CONFLICT (id, type) DO UPDATE SET
        payload = excluded.payload, "grantId" = excluded."grantId",
        "userCode" = excluded."userCode", uid = excluded.uid, "expiresAt" = excluded."expiresAt",
        "consumedAt" = coalesce(
          CASE WHEN stored."expiresAt" IS NULL OR stored."expiresAt" > ${new Date()}
            THEN stored."consumedAt" END,
          excluded."consumedAt")`
  }

  #live(where: Where) {
    const live = { OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] }
    return { type: this.#type, ...where, ...live }
  }
  // #endregion

  async #find(where: Where) {
    const row = await this.#prisma.oidcModel.findFirst({ where: this.#live(where) })
    return isRecord(row?.payload) ? payloadOf(row.payload, row.consumedAt) : undefined
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

function isRecord(payload: unknown): payload is AdapterPayload {
  return typeof payload === 'object' && payload !== null && !Array.isArray(payload)
}
