import { expect } from 'chai'
import { entryDigestOf, hashOf, likenessOf } from 'oidc-provider-impersonation-verify/chain'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { batches } from '../../../src/ledger/recording/batches.ts'
import {
  act,
  ended,
  exported,
  idOf,
  issued,
  refused,
  replayed,
  started,
  T,
  used,
} from '../stores/contract/support.ts'

const HOUR = 3_600_000

/** A denial at the exchange of a token that there is. */
function denied(more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    event: 'impersonation.denied',
    timeMs: T,
    id: idOf('a'),
    userId: 'alice',
    client: 'shop',
    denial: { stage: 'exchange', error: 'invalid_request', reason: 'r' },
    ...more,
  }
}

const refusal = { by: 'scope', error: 'insufficient_scope', description: 'd' } as const

describe('what happens again', () => {
  it('is told apart by token, client, actor, error and act; what succeeds is never counted', () => {
    const different: readonly AuditEntry[] = [
      replayed('a', T),
      replayed('b', T),
      replayed('a', T, { actor: { sub: 'olivia' } }),
      replayed('a', T, { client: 'another' }),
      denied(),
      denied({ id: idOf('b') }),
      denied({ actor: { sub: 'olivia' } }),
      denied({ denial: { stage: 'exchange', error: 'access_denied', reason: 'r' } }),
      denied({ denial: { stage: 'end', error: 'invalid_request', reason: 'r' } }),
      refused(T),
      refused(T, { userId: 'bob' }),
      refused(T, { actor: { sub: 'oscar' } }),
      refused(T, { context: { ticketId: 'SUP-10' } }),
      used('a', T, { refused: refusal }),
      used('b', T, { refused: refusal }),
      used('a', T, { refused: refusal, method: 'PUT' }),
      used('a', T, { refused: refusal, path: '/elsewhere' }),
      used('a', T, { refused: { ...refusal, by: 'status' } }),
      { ...used('a', T, { refused: refusal }), actor: { sub: 'oscar' } },
    ]
    expect(new Set(different.map(likenessOf)).size).to.equal(different.length)
    const denial = { stage: 'exchange', error: 'invalid_request', reason: 'another' } as const
    expect(likenessOf(denied({ denial, timeMs: T + 1 }))).to.equal(likenessOf(denied()))
    const again = used('a', T + 1, { refused: refusal, useId: 'another' })
    expect(likenessOf(again)).to.equal(likenessOf(used('a', T, { refused: refusal })))
    const never = [issued('a', T), started('a', T), ended('a', T), used('a', T), exported(T)]
    for (const entry of [...never, act('held', 'a', T), act('objected', 'a', T)]) {
      expect(likenessOf(entry), entry.event).to.equal(undefined)
    }
  })

  it('with tokens that do not exist is one entry for who shows their own actor token', () => {
    const { next } = batches()
    const guess = (id: string) => {
      const denial = { stage: 'exchange', error: 'invalid_request', reason: `no ${id}` } as const
      return denied({ id, denial, userId: undefined, actor: { sub: 'alice' } })
    }
    const { records, repetitions } = next([guess('a'), guess('b'), guess('c')])
    expect([records.length, repetitions.map(({ count }) => count)]).to.deep.equal([1, [2]])
  })

  it('is counted for an hour from the first, and then is a new entry', () => {
    const { next } = batches()
    const [first] = next([replayed('a', T)]).records
    const again = next([replayed('a', T + HOUR - 1), replayed('a', T + 5), replayed('a', T + HOUR)])
    expect(
      again.repetitions.map(({ repeatKey, count, lastTime }) => [repeatKey, count, lastTime]),
    ).to.deep.equal([[first?.repeatKey, 2, T + HOUR - 1]])
    expect(again.records.map(({ entry }) => entry.timeMs)).to.deep.equal([T + HOUR])
    expect(again.records[0]?.repeatKey).to.not.equal(first?.repeatKey)
    expect(again.records[0]?.row).to.equal(idOf('a'))
  })

  it('is counted on the row of the first, also of refused requests, which have a row of their own', () => {
    const { next } = batches()
    const [first] = next([refused(T)]).records
    expect(first?.row).to.match(/^[\w-]{43}$/)
    const { repetitions } = next([refused(T + 1), refused(T + 2)])
    expect(repetitions.map(({ row, count }) => [row, count])).to.deep.equal([[first?.row, 2]])
    const [other] = batches().next([refused(T)]).records
    expect(other?.row, 'of another process').to.not.equal(first?.row)
  })

  it('remembers what came last, and makes a new entry of what it forgot', () => {
    const { next } = batches(2)
    next([replayed('a', T), replayed('b', T)])
    next([replayed('a', T + 1)])
    next([replayed('c', T)])
    expect(next([replayed('a', T + 2)]).repetitions).to.have.length(1)
    expect(next([replayed('b', T + 2)]).records).to.have.length(1)
  })
})

describe('the batches of one writer', () => {
  it('are numbered, and link all entries to one chain', () => {
    const { writer, next } = batches()
    const all = [
      next([issued('a', T), replayed('a', T + 1)]),
      next([replayed('a', T + 2)]),
      next([used('a', T + 3)]),
    ]
    expect(all.map(({ number }) => number)).to.deep.equal([1, 2, 3])
    expect(all.every((batch) => batch.writer === writer)).to.equal(true)
    let [hash, sequence] = [writer, 0]
    for (const record of all.flatMap(({ records }) => records)) {
      sequence += 1
      const digest = entryDigestOf(record.text, record.row)
      hash = hashOf(hash, digest)
      expect(record).to.include({ sequence, hash, digest })
    }
    expect(sequence).to.equal(3)
    expect(batches().writer).to.not.equal(writer)
  })

  it('give a row to what belongs to an impersonation, and never the row that a stranger asks for', () => {
    const rowOf = (entry: AuditEntry) => batches().next([entry]).records[0]?.row
    for (const entry of [issued('a', T), used('a', T), denied(), act('held', 'a', T)]) {
      expect(rowOf(entry), entry.event).to.equal(idOf('a'))
    }
    for (const entry of [
      exported(T),
      { ...used('a', T), id: undefined },
      replayed('a', T, { id: 'x' }),
    ]) {
      expect(rowOf(entry), entry.event).to.equal(undefined)
    }
    const asked = denied({ userId: undefined, requestedBy: 'backend' })
    expect(rowOf(asked))
      .to.match(/^[\w-]{43}$/)
      .and.not.equal(idOf('a'))
    for (const id of ['', '__proto__', "' OR 1=1", `${idOf('a')}x`, 'ä'.repeat(43)]) {
      expect(rowOf(denied({ id })), id).to.match(/^[\w-]{43}$/)
    }
  })

  it('have texts in ASCII alone', () => {
    const reason = 'ß \u{1f980} \0 \u2028 \ud800'
    const [record] = batches().next([started('a', T, { context: { reason } })]).records
    expect(record?.text).to.match(/^[ -~]+$/)
    expect(JSON.parse(record?.text ?? '').context.reason).to.equal(reason)
  })
})
