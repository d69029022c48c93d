import type { Adapter } from 'oidc-provider'
import { hasEnding } from '../adapters/contract.ts'

/** Stores that something may run through an impersonation, by its id. */
export type MarkChain = (id: string) => Promise<void>

/**
 * I11: an exchange with an impersonated actor token marks the impersonation that the token came out of
 * before it redeems, and looks at the end of it afterwards. An end looks at the mark after it is stored. So
 * one of the two sees the other, and an end without a mark has nothing to look up.
 *
 * Also where impersonations cannot be ended here: another process on the same store may end them.
 */
export function chainMarker(adapter: Adapter): MarkChain {
  if (!hasEnding(adapter)) return async () => {}
  return async (id) => {
    const record = await adapter.find(id)
    if (!record || record.chained === true) return
    // The adapter keeps these by itself, as they are in this moment.
    const { consumed: _, note: __, end: ___, ...payload } = record
    const keptUntil = Number(payload.keptUntil ?? payload.exp)
    const expiresIn = keptUntil - Math.floor(Date.now() / 1000)
    if (expiresIn > 0) await adapter.upsert(id, { ...payload, chained: true }, expiresIn)
  }
}
