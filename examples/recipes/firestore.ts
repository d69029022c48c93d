// Set a TTL policy on the field `expiresAt` of each collection, and create the composite indexes on
// `isListed`, then `accountId`, `actor`, `clientId` or none of them, then `iat` and `key`, both
// descending. Firestore names one that is missing in its error.

import type {
  DocumentData,
  DocumentSnapshot,
  Firestore,
  Query,
  Transaction,
} from '@google-cloud/firestore'
import type { AdapterPayload } from 'oidc-provider'
import type {
  ConsumptionNote,
  EndingAdapter,
  EndNote,
  ListedBefore,
  LookUp,
} from 'oidc-provider-impersonation/adapters/contract'
import { keyOf, lookedUp, memberKey, parsePayload, recordOf } from './record.ts'

export class FirestoreAdapter implements EndingAdapter {
  readonly #db: Firestore
  readonly #model: string

  constructor(model: string, db: Firestore) {
    this.#db = db
    this.#model = model // any model: nothing to add for SubjectToken
  }

  consumeOnce(id: string, note?: ConsumptionNote) {
    const actor = memberKey(note?.actor)
    return this.#update(id, (record) => {
      if (record.consumedAt || record.ended) return undefined
      return {
        consumedAt: new Date(),
        ...(note && { note: JSON.stringify(note) }),
        ...(actor && { noteActor: actor, actor }),
      }
    })
  }

  async consume(id: string) {
    await this.#update(id, () => ({ consumedAt: new Date() }))
  }

  endOnce(id: string, end: EndNote) {
    const ended = JSON.stringify(end)
    return this.#update(id, (record) =>
      record.ended ? undefined : { ended, endedList: record.statusList },
    )
  }

  // The transaction reads what it writes: Firestore lets a second one wait, or runs it again.
  #update(id: string, change: (record: DocumentData) => DocumentData | undefined) {
    return this.#db.runTransaction(async (transaction) => {
      const record = await this.#get(transaction, id)
      const changes = record && change(record)
      if (changes) transaction.update(this.#document(id), changes)
      return changes !== undefined
    })
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const record = {
      key: keyOf(id),
      payload: JSON.stringify(payload),
      ...recordOf(this.#model, payload, expiresIn),
    }
    await this.#db.runTransaction(async (transaction) => {
      const replaced = await this.#get(transaction, id)
      transaction.set(this.#document(id), {
        ...record,
        isListed: record.accountId !== null,
        consumedAt: replaced?.consumedAt ?? record.consumedAt,
        note: replaced?.note ?? null,
        noteActor: replaced?.noteActor ?? null,
        actor: replaced?.noteActor ?? record.actor,
        ended: replaced?.ended ?? null,
        endedList: replaced?.ended ? record.statusList : null,
      })
    })
  }

  async #get(transaction: Transaction, id: string) {
    return live(await transaction.get(this.#document(id)))
  }

  // Page by page, since what has expired may still be there.
  async list(lookUp: LookUp, limit: number, before?: ListedBefore) {
    let query: Query = this.#records.where('isListed', '==', true)
    for (const [name, key] of Object.entries(lookedUp(lookUp))) query = query.where(name, '==', key)
    query = query.orderBy('iat', 'desc').orderBy('key', 'desc').limit(limit)
    let page = before ? query.startAfter(before.iat, keyOf(before.id)) : query
    const listed: AdapterPayload[] = []
    for (;;) {
      const { docs } = await page.get()
      for (const record of docs.map(live)) if (record) listed.push(found(record))
      const last = docs.at(-1)
      if (!last || docs.length < limit || listed.length >= limit) return listed.slice(0, limit)
      page = query.startAfter(last.get('iat'), last.get('key'))
    }
  }

  async endedIndices(list: string) {
    const { docs } = await this.#where('endedList', list).get()
    const indices = docs.map(live).flatMap((record) => record?.statusIndex ?? [])
    return [...new Set<number>(indices)]
  }

  #document(id: string) {
    return this.#records.doc(keyOf(id))
  }

  async find(id: string) {
    const record = live(await this.#document(id).get())
    return record && found(record)
  }

  findByUid(uid: string) {
    return this.#findBy('uid', uid)
  }

  findByUserCode(userCode: string) {
    return this.#findBy('userCode', userCode)
  }

  async #findBy(field: string, value: string) {
    const { docs } = await this.#where(field, value).get()
    const record = docs.map(live).find(Boolean)
    return record && found(record)
  }

  async destroy(id: string) {
    await this.#document(id).delete()
  }

  async revokeByGrantId(grantId: string) {
    const { docs } = await this.#where('grantId', grantId).get()
    await Promise.all(docs.map(({ ref }) => ref.delete()))
  }

  get #records() {
    return this.#db.collection(`oidc_library_${this.#model}`)
  }

  #where(field: string, value: string) {
    return this.#records.where(field, '==', keyOf(value))
  }
}

// The TTL policy, on the field expiresAt, deletes up to a day late.
function live(document: DocumentSnapshot): DocumentData | undefined {
  const record = document.data()
  return record && (!record.expiresAt || record.expiresAt.toMillis() > Date.now())
    ? record
    : undefined
}

function found(record: DocumentData): AdapterPayload {
  const { payload, consumedAt, note, ended } = record
  return parsePayload(JSON.parse(payload), {
    consumedAt: consumedAt?.toDate() ?? null,
    note,
    ended,
  })
}
