import { isDeepStrictEqual } from 'node:util'
import type { EndingAdapter } from '../../adapters/contract.ts'
import { type Attempt, CALLER_COUNT, PROBE_LIFE, probe, randomId, shown, wrong } from './probe.ts'

/** The actor that the record is bound to, and the one of its note. */
const BOUND_ACTOR = 'storage-check'
const STATUS_INDEX = 7

/**
 * Tests on one record whether impersonations can be seen and ended: by account and by actor, with
 * one winner, and the end in the ended indices of its status list. What it looks up is random, so
 * that it never meets a record that is not its own.
 *
 * @throws Error whose message says in one sentence what is wrong
 */
export async function checkSeeingAndEnding(
  adapter: EndingAdapter,
  attempt: Attempt,
  id: string,
): Promise<void> {
  const [accountId, operator, statusList] = [randomId(), randomId(), randomId()]
  const stored = {
    ...probe(id, PROBE_LIFE),
    accountId,
    actor: BOUND_ACTOR,
    statusList,
    statusIndex: STATUS_INDEX,
  }
  await attempt('upsert()', () => adapter.upsert(id, stored, PROBE_LIFE))
  const listedBy = async (lookUp: object) => {
    const page = await attempt('list()', () => adapter.list({ accountId, ...lookUp }, 10))
    return page.filter(({ jti }) => jti === id).length
  }
  if ((await listedBy({ actor: BOUND_ACTOR })) !== 1) {
    throw wrong('list() does not resolve a record once that upsert() has just stored')
  }

  const note = { actor: operator }
  await attempt('consumeOnce() with a note', () => adapter.consumeOnce(id, note))
  const noted = await attempt('find()', () => adapter.find(id))
  if (!isDeepStrictEqual(noted?.note, note)) {
    throw wrong(`find() resolves note as ${shown(noted?.note)} where consumeOnce() was given one`)
  }
  if (
    (await listedBy({ actor: operator })) !== 1 ||
    (await listedBy({ actor: BOUND_ACTOR })) !== 0
  ) {
    throw wrong('list() does not look up a consumed record by the actor of its note')
  }

  await checkEnding(adapter, attempt, { id, statusList })
}

async function checkEnding(
  adapter: EndingAdapter,
  attempt: Attempt,
  { id, statusList }: { id: string; statusList: string },
): Promise<void> {
  const endings = Array.from({ length: CALLER_COUNT }, (_, by) => ({ by }))
  const outcomes: unknown[] = await Promise.all(
    endings.map((end) => attempt('endOnce()', () => adapter.endOnce(id, end))),
  )
  if (!outcomes.every((outcome) => typeof outcome === 'boolean')) {
    throw wrong('endOnce() has to resolve true or false, and resolved something else')
  }
  const winners = outcomes.filter(Boolean).length
  if (winners !== 1) {
    throw wrong(
      `endOnce() resolved true for ${winners} of ${CALLER_COUNT} callers at once, and it has to for exactly one`,
    )
  }
  const found = await attempt('find()', () => adapter.find(id))
  if (!isDeepStrictEqual(found?.end, endings[outcomes.indexOf(true)])) {
    throw wrong('find() does not resolve the end of the caller to whom endOnce() resolved true')
  }
  const indices = await attempt('endedIndices()', () => adapter.endedIndices(statusList))
  if (!isDeepStrictEqual(indices, [STATUS_INDEX])) {
    throw wrong(
      `endedIndices() resolves ${shown(indices)} for a list in which ${STATUS_INDEX} has ended`,
    )
  }

  // A record of the same id that was never consumed: its end alone has to keep it from being so.
  await attempt('destroy()', () => adapter.destroy(id))
  await attempt('upsert()', () => adapter.upsert(id, probe(id, PROBE_LIFE), PROBE_LIFE))
  await attempt('endOnce()', () => adapter.endOnce(id, { by: 'storage-check' }))
  if (await attempt('consumeOnce()', () => adapter.consumeOnce(id))) {
    throw wrong('consumeOnce() resolved true for a record that has ended')
  }
}
