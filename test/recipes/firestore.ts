import type { DocumentData, DocumentSnapshot, Firestore } from '@google-cloud/firestore'
import type { AdapterPayload } from 'oidc-provider'
import type { SingleUseAdapter } from '../../src/adapters/contract.ts'
import { keyOf, payloadOf, recordOf } from './record.ts'

// #region recipe
export class FirestoreAdapter implements SingleUseAdapter {
  readonly consumesEveryModel = true
  readonly #db: Firestore
  readonly #collection: string

  constructor(model: string, db: Firestore) {
    this.#db = db
    this.#collection = `oidc_library_${model}` // any model: nothing to add for SubjectToken
  }

  // The transaction reads what it writes: Firestore lets a second one wait, or runs it again.
  consumeOnce(id: string) {
    return this.#db.runTransaction(async (transaction) => {
      const record = live(await transaction.get(this.#document(id)))
      if (!record || record.consumedAt) return false
      transaction.update(this.#document(id), { consumedAt: new Date() })
      return true
    })
  }

  async consume(id: string) {
    await this.#db.runTransaction(async (transaction) => {
      if (!live(await transaction.get(this.#document(id)))) return
      transaction.update(this.#document(id), { consumedAt: new Date() })
    })
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const record = { payload: JSON.stringify(payload), ...recordOf(payload, expiresIn) }
    await this.#db.runTransaction(async (transaction) => {
      const replaced = live(await transaction.get(this.#document(id)))
      const consumedAt = replaced?.consumedAt ?? record.consumedAt
      transaction.set(this.#document(id), { ...record, consumedAt })
    })
  }

  #document(id: string) {
    return this.#db.collection(this.#collection).doc(keyOf(id))
  }
  // #endregion

  async find(id: string) {
    return found(live(await this.#document(id).get()))
  }

  findByUid(uid: string) {
    return this.#findBy('uid', uid)
  }

  findByUserCode(userCode: string) {
    return this.#findBy('userCode', userCode)
  }

  async #findBy(field: string, value: string) {
    const { docs } = await this.#where(field, value).get()
    return found(docs.map(live).find(Boolean))
  }

  async destroy(id: string) {
    await this.#document(id).delete()
  }

  async revokeByGrantId(grantId: string) {
    const { docs } = await this.#where('grantId', grantId).get()
    await Promise.all(docs.map(({ ref }) => ref.delete()))
  }

  #where(field: string, value: string) {
    return this.#db.collection(this.#collection).where(field, '==', keyOf(value))
  }
}

// #region recipe
// The TTL policy, on the field expiresAt, deletes up to a day late.
function live(document: DocumentSnapshot): DocumentData | undefined {
  const record = document.data()
  return record && (!record.expiresAt || record.expiresAt.toMillis() > Date.now())
    ? record
    : undefined
}
// #endregion

function found(record: DocumentData | undefined): AdapterPayload | undefined {
  return record && payloadOf(JSON.parse(record.payload), record.consumedAt?.toDate() ?? null)
}
