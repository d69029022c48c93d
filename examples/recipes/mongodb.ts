// A payload with a NUL character in a key rejects, `__proto__` as a key is lost, and a lone surrogate
// becomes U+FFFD; no subject token has one. `createIndexes()` is for a migration.

import type { Db, Filter } from 'mongodb'
import type { AdapterPayload } from 'oidc-provider'
import type {
  ConsumptionNote,
  EndingAdapter,
  EndNote,
  ListedBefore,
  LookUp,
} from 'oidc-provider-impersonation/adapters/contract'
import { expiryOf, keyOf, type Listing, listingOf, lookedUp, memberKey } from './record.ts'

interface Stored {
  _id: string
  payload: AdapterPayload
  expiresAt?: Date | null
  /** Members that the list of subject tokens needs. Absent for other records. */
  listing?: Listing
  // As text: names of members in BSON have rules of their own.
  note?: string
  noteActor?: string
  end?: string
}

const majority = { writeConcern: { w: 'majority' } } as const
const newestFirst = { 'listing.iat': -1, _id: -1 } as const

export class MongoAdapter implements EndingAdapter {
  readonly #db: Db
  readonly #model: string

  constructor(model: string, db: Db) {
    this.#db = db
    this.#model = model // any model: nothing to add for SubjectToken
  }

  async consumeOnce(id: string, note?: ConsumptionNote) {
    const actor = memberKey(note?.actor)
    const { modifiedCount } = await this.#records.updateOne(
      live({ _id: keyOf(id), 'payload.consumed': { $exists: false }, end: { $exists: false } }),
      {
        $set: {
          'payload.consumed': seconds(),
          ...(note && { note: JSON.stringify(note) }),
          ...(actor && { noteActor: actor, 'listing.actor': actor }),
        },
      },
      majority,
    )
    return modifiedCount === 1
  }

  async consume(id: string) {
    const consumed = { $set: { 'payload.consumed': seconds() } }
    await this.#records.updateOne(live({ _id: keyOf(id) }), consumed, majority)
  }

  // MongoDB 4.2 or later: a pipeline sees the record that it replaces.
  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const isLive = { $or: [{ $lte: ['$expiresAt', null] }, { $gt: ['$expiresAt', new Date()] }] }
    const kept = (field: string, otherwise: unknown = '$$REMOVE') => ({
      $ifNull: [{ $cond: [isLive, field, null] }, otherwise],
    })
    const consumed = kept('$payload.consumed', payload.consumed ?? '$$REMOVE')
    const { accountId, actor, ...listing } = listingOf(this.#model, payload)
    const replacing = {
      payload: { $mergeObjects: [{ $literal: payload }, { consumed }] },
      listing: accountId ? { accountId, ...listing, actor: kept('$noteActor', actor) } : '$$REMOVE',
      note: kept('$note'),
      noteActor: kept('$noteActor'),
      end: kept('$end'),
      expiresAt: expiryOf(expiresIn),
    }
    await this.#records.updateOne({ _id: keyOf(id) }, [{ $set: replacing }], {
      upsert: true,
      ...majority,
    })
  }

  async endOnce(id: string, end: EndNote) {
    const notEnded = live({ _id: keyOf(id), end: { $exists: false } })
    const ended = { $set: { end: JSON.stringify(end) } }
    return (await this.#records.updateOne(notEnded, ended, majority)).modifiedCount === 1
  }

  async list(lookUp: LookUp, limit: number, before?: ListedBefore) {
    const members = Object.entries(lookedUp(lookUp)).map(([name, key]) => [`listing.${name}`, key])
    const listed = { 'listing.accountId': { $exists: true }, ...Object.fromEntries(members) }
    const after = before && [
      { 'listing.iat': { $lt: before.iat } },
      { 'listing.iat': before.iat, _id: { $lt: keyOf(before.id) } },
    ]
    const filter = { $and: [live(listed), after ? { $or: after } : {}] }
    const found = await this.#records.find(filter).sort(newestFirst).limit(limit).toArray()
    return found.map(parsePayload)
  }

  async endedIndices(list: string) {
    const ended = live({ 'listing.statusList': keyOf(list), end: { $exists: true } })
    const found = await this.#records.find(ended).project({ 'listing.statusIndex': 1 }).toArray()
    const indices = found.map(({ listing }) => listing.statusIndex)
    return [...new Set(indices)].filter((index) => index !== null)
  }

  // Once, as a migration. The TTL monitor runs once a minute, so that live() asks as well.
  async createIndexes() {
    await this.#records.createIndexes([
      { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
      { key: { 'payload.grantId': 1 } },
      { key: { 'payload.userCode': 1 } },
      { key: { 'payload.uid': 1 } },
      { key: newestFirst, sparse: true },
      { key: { 'listing.accountId': 1, ...newestFirst }, sparse: true },
      { key: { 'listing.actor': 1, ...newestFirst }, sparse: true },
      { key: { 'listing.clientId': 1, ...newestFirst }, sparse: true },
      { key: { 'listing.statusList': 1 }, sparse: true },
    ])
  }

  // From the primary, and what a majority has: an end that has resolved is seen.
  get #records() {
    return this.#db.collection<Stored>(snakeCase(this.#model), {
      readPreference: 'primary',
      readConcern: { level: 'majority' },
    })
  }

  async #find(filter: Filter<Stored>) {
    const found = await this.#records.findOne(live(filter))
    return found ? parsePayload(found) : undefined
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

function live(filter: Filter<Stored>): Filter<Stored> {
  return { ...filter, $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date() } }] }
}

function parsePayload({ payload, note, end }: Pick<Stored, 'payload' | 'note' | 'end'>) {
  return {
    ...payload,
    ...(note && { note: JSON.parse(note) }),
    ...(end && { end: JSON.parse(end) }),
  }
}

function seconds() {
  return Math.floor(Date.now() / 1000)
}

function snakeCase(model: string) {
  return model.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase()
}
