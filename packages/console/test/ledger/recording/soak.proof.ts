import { fork } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { likenessOf } from 'oidc-provider-impersonation-verify/chain'
import { type AuditEntry, asciiJson, decodeEntry } from 'oidc-provider-impersonation-verify/format'
import type { StoredEntry } from '../../../src/ledger/store.ts'
import { assertWholeLog, found, many, readOn } from '../stores/contract/support.ts'
import type { SoakMessage } from './soak-process.ts'
import { onEachKind, type StorageKind, withStore } from './soak-stores.ts'

/** Impersonations of each process, of about 10 events; SOAK=10000 makes a long one. */
const EACH = Number(process.env.SOAK ?? 100)
const PROCESSES = 2

/** A process under load. */
function loaded(kind: StorageKind, place: string) {
  const child = fork(new URL('soak-process.ts', import.meta.url), [kind, place, String(EACH)], {
    execArgv: ['--conditions=oidc-provider-impersonation'],
  })
  const lines: string[] = []
  const answered: string[] = []
  let isOver = false
  child.on('message', (message: SoakMessage) => {
    lines.push(...message.lines)
    answered.push(...message.answered)
    isOver = message.isOver
  })
  const ended = once(child, 'exit').then(([code]) => ({ code, isOver }))
  return { child, lines, answered, ended }
}

/** An event, as often as it happened: those that are counted are alike. Names are added later. */
function tally(all: readonly AuditEntry[]) {
  const counts = new Map<string, number>()
  for (const entry of all) {
    const { names: _, count = 1, ...event } = entry
    const key = likenessOf(entry) ?? asciiJson(event)
    counts.set(key, (counts.get(key) ?? 0) + count)
  }
  return counts
}

const eventsIn = (lines: readonly string[]): AuditEntry[] =>
  lines.filter((line) => line.startsWith('{"event":')).map((line) => JSON.parse(line))

const storedIn = (stored: readonly StoredEntry[]) =>
  stored.flatMap(({ text }) => decodeEntry(text ?? '') ?? [])

describe('the audit under full load, from two processes at once', function () {
  this.timeout(60_000 + EACH * PROCESSES * 400)

  onEachKind.it('has as many entries as events, and no gap', async (kind, place) => {
    const all = many(PROCESSES, () => loaded(kind, place))
    for (const { ended } of all) expect(await ended).to.deep.equal({ code: 0, isOver: true })
    const lines = all.flatMap((each) => each.lines)
    const events = eventsIn(lines)
    expect(
      lines.filter((line) => !line.startsWith('{')),
      'complaints',
    ).to.deep.equal([])
    expect(events.length).to.be.at.least(EACH * PROCESSES * 8)

    await withStore(kind, place, async (store) => {
      const stored = await readOn(store, undefined, 500)
      const entries = storedIn(stored)
      const counted = entries.reduce((sum, { count = 1 }) => sum + count, 0)
      expect(counted, 'entries, counting counts').to.equal(events.length)
      expect(tally(entries)).to.deep.equal(tally(events))
      await assertWholeLog(store)

      const rows = await found(store, {}, { limit: 200 })
      expect(rows).to.have.length(EACH * PROCESSES)
      const sum = (of: (row: (typeof rows)[number]) => number) =>
        rows.reduce((all, row) => all + of(row), 0)
      const happened = (event: string) => events.filter((each) => each.event === event).length
      expect(sum((row) => row.reads + row.changes + row.refused + row.failed)).to.equal(
        happened('impersonation.used'),
      )
      expect(sum(({ replays }) => replays)).to.equal(happened('impersonation.replayed'))
      expect(rows.filter(({ end }) => end)).to.have.length(happened('impersonation.ended'))
      console.log(
        `      ${events.length} events in ${stored.length} entries of ${rows.length} rows`,
      )
    })
  })

  onEachKind.it('is whole where one of them is killed in the middle', async (kind, place) => {
    const [one, two] = [loaded(kind, place), loaded(kind, place)]
    while (one.lines.length < EACH * 3) await once(one.child, 'message')
    one.child.kill('SIGKILL')
    expect((await one.ended).isOver).to.equal(false)
    expect(await two.ended).to.deep.equal({ code: 0, isOver: true })

    await withStore(kind, place, async (store) => {
      const stored = await readOn(store, undefined, 500)
      await assertWholeLog(store)
      const [first, second] = [one, two].map(({ lines }) => tally(eventsIn(lines)))
      const kept = tally(storedIn(stored))
      for (const [event, count] of second ?? []) expect(kept.get(event)).to.equal(count)
      expect(first?.size).to.be.above(EACH)
      // I13: what lets a person act, and an end, are stored before they are answered. Only what APIs told
      // last, and what was not answered yet, can be in the log alone.
      const names = new Set(storedIn(stored).map(({ event, id }) => `${event} ${id}`))
      expect(one.answered).to.have.length.above(EACH / 4)
      expect(
        one.answered.filter((name) => !names.has(name)),
        'missing',
      ).to.deep.equal([])
    })
  })
})
