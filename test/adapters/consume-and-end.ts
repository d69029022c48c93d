import type { EndingAdapter } from '../../src/adapters/contract.ts'

/** Which of the records this process consumed, and which it ended. */
export interface Won {
  readonly consumed: string[]
  readonly ended: string[]
}

/**
 * Consumes and ends each record at once. An end may take a round trip more than a consumption, so
 * that two of three consumptions start one or two round trips later.
 */
export async function consumeAndEnd(
  adapter: EndingAdapter,
  ids: readonly string[],
  by: string,
): Promise<Won> {
  const won: Won = { consumed: [], ended: [] }
  const consume = async (id: string, i: number) => {
    for (let roundTrips = i % 3; roundTrips > 0; roundTrips -= 1) await adapter.find(id)
    if (await adapter.consumeOnce(id, { actor: by })) won.consumed.push(id)
  }
  const end = async (id: string) => {
    if (await adapter.endOnce(id, { by })) won.ended.push(id)
  }
  await Promise.all(ids.flatMap((id, i) => [consume(id, i), end(id)]))
  return won
}
