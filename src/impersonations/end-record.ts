import { randomBytes } from 'node:crypto'
import type { EndingAdapter } from '../adapters/contract.ts'
import type { EndOptions } from '../public/list-and-end.ts'
import type { StoredEnd } from '../tokens/subject-token.ts'

/** An end that knows itself again: by its attempt, which no other has. */
export type EndAttempt = StoredEnd & { readonly attempt: string }

/** What is stored of an end that is asked for now. */
export function newEnd({ by, cause = 'requested', reason }: EndOptions): EndAttempt {
  return {
    at: Math.floor(Date.now() / 1000),
    ...(by ? { by: { sub: by.sub } } : {}),
    cause,
    ...(reason === undefined ? {} : { reason }),
    attempt: randomBytes(9).toString('base64url'),
  }
}

/** The end as it is shown. */
export function shownEnd({ attempt: _, ...end }: StoredEnd): StoredEnd {
  return Object.freeze(end)
}

/**
 * Ends the record. Where the reply was lost, it is asked for once more, and the record tells whether
 * this attempt was the one. The record alone does not tell enough: it may read as ended while the
 * index is not stored, or while no replica has it (I14).
 *
 * @throws the storage's error where neither is known
 */
export async function endRecord(
  adapter: EndingAdapter,
  id: string,
  end: EndAttempt,
): Promise<boolean> {
  try {
    return await askedOnce(adapter, id, end)
  } catch (error) {
    const won = await askedOnce(adapter, id, end).catch(() => undefined)
    if (won === true) return true
    const record = won === false ? await adapter.find(id).catch(() => undefined) : undefined
    const stored: unknown = record?.end
    if (typeof stored === 'object' && stored !== null && 'attempt' in stored) {
      return stored.attempt === end.attempt
    }
    throw error
  }
}

async function askedOnce(adapter: EndingAdapter, id: string, end: EndAttempt): Promise<boolean> {
  const won: unknown = await adapter.endOnce(id, { ...end })
  if (typeof won === 'boolean') return won
  throw new TypeError('endOnce() of the storage adapter must resolve true or false')
}
