import type { Db, Filter } from 'mongodb'
import type { AdapterPayload } from 'oidc-provider'
import type { SingleUseAdapter } from '../../src/adapters/contract.ts'
import { expiryOf, keyOf } from './record.ts'

interface Stored {
  _id: string
  payload: AdapterPayload
  expiresAt?: Date | null
}

// #region recipe
const majority = { writeConcern: { w: 'majority' } } as const

export class MongoAdapter implements SingleUseAdapter {
  readonly consumesEveryModel = true
  readonly #db: Db
  readonly #collection: string

  constructor(model: string, db: Db) {
    this.#db = db
    this.#collection = snakeCase(model) // any model: nothing to add for SubjectToken
  }

  async consumeOnce(id: string) {
    const unconsumed = { _id: keyOf(id), 'payload.consumed': { $exists: false } }
    const { modifiedCount } = await this.#records.updateOne(live(unconsumed), consuming(), majority)
    return modifiedCount === 1
  }

  async consume(id: string) {
    await this.#records.updateOne(live({ _id: keyOf(id) }), consuming(), majority)
  }

  // MongoDB 4.2 or later: a pipeline sees the record that it replaces.
  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const isLive = {
      $or: [{ $lte: ['$expiresAt', null] }, { $gt: ['$expiresAt', new Date()] }],
    }
    const kept = { $cond: [isLive, '$payload.consumed', null] }
    const consumed = { $ifNull: [kept, payload.consumed ?? '$$REMOVE'] }
    const replaced = { $mergeObjects: [{ $literal: payload }, { consumed }] }
    const replacing = [{ $set: { payload: replaced, expiresAt: expiryOf(expiresIn) } }]
    await this.#records.updateOne({ _id: keyOf(id) }, replacing, { upsert: true, ...majority })
  }

  // Once, as a migration. The TTL monitor runs once a minute, so that live() asks as well.
  async createIndexes() {
    await this.#records.createIndexes([
      { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
      { key: { 'payload.grantId': 1 } },
      { key: { 'payload.userCode': 1 } },
      { key: { 'payload.uid': 1 } },
    ])
  }

  get #records() {
    return this.#db.collection<Stored>(this.#collection)
  }
  // #endregion

  async #find(filter: Filter<Stored>) {
    return (await this.#records.findOne(live(filter)))?.payload
  }

  find(id: string) {
    return this.#find({ _id: keyOf(id) })
  }

  findByUid(uid: string) {
    return this.#find({ 'payload.uid': uid })
  }

  findByUserCode(userCode: string) {
    return this.#find({ 'payload.userCode': userCode })
  }

  async destroy(id: string) {
    await this.#records.deleteOne({ _id: keyOf(id) }, majority)
  }

  async revokeByGrantId(grantId: string) {
    await this.#records.deleteMany({ 'payload.grantId': grantId }, majority)
  }
}

// #region recipe
function live(filter: Filter<Stored>): Filter<Stored> {
  return { ...filter, $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date() } }] }
}

function consuming() {
  return { $set: { 'payload.consumed': Math.floor(Date.now() / 1000) } }
}
// #endregion

function snakeCase(model: string) {
  return model.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase()
}
