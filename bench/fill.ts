import { randomBytes } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { progress } from './progress.ts'

/** How many operators the records of a store belong to, in equal parts. */
export const OPERATOR_COUNT = 20

/** A record as the provider stores a subject token: issued at any second of the last hour. */
export function subjectTokenRecord(
  issuer: string,
  index = 0,
): { id: string; payload: AdapterPayload } {
  const id = randomBytes(32).toString('base64url')
  const now = Math.floor(Date.now() / 1000)
  const payload = {
    iat: now - (index % 3600),
    exp: now + FILL_TTL,
    iss: issuer,
    accountId: 'alice',
    clientId: 'bench',
    context: '{"ticketId":"SUP-123","reason":"billing"}',
    binding: '{}',
    // Not of the index itself: an operator works in every second.
    actor: `operator-${Math.floor(index / 3600 + index) % OPERATOR_COUNT}`,
    jti: id,
    kind: 'SubjectToken',
  }
  return { id, payload }
}

/** Lifetime of the records, in seconds: longer than any run. */
export const FILL_TTL = 3 * 3600

/** Writes that many live subject tokens through the adapter, a thousand at a time. */
export async function fillThrough(adapter: Adapter, count: number, issuer: string): Promise<void> {
  const batch = 1000
  for (let done = 0; done < count; done += batch) {
    if (done % 100_000 === 0) progress(`filling: ${done} of ${count}`)
    const size = Math.min(batch, count - done)
    const writes = Array.from({ length: size }, (_, index) => {
      const { id, payload } = subjectTokenRecord(issuer, done + index)
      return adapter.upsert(id, payload, FILL_TTL)
    })
    await Promise.all(writes)
  }
}
