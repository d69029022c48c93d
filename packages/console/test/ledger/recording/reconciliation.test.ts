import { expect } from 'chai'
import type { Impersonation } from 'oidc-provider-impersonation'
import { reconcile } from '../../../src/ledger/recording/reconciliation.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { deploy } from '../../support/deployment.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { quietly } from '../../support/quietly.ts'
import {
  decoded,
  idOf,
  issued,
  many,
  put,
  readOn,
  rejection,
  started,
  T,
  used,
} from '../stores/contract/support.ts'
import { recorderOn } from './recorder-on.ts'

const MINUTE = 60_000

/** The record that the provider keeps of an impersonation. */
function kept(name: string, more: Partial<Impersonation> = {}): Impersonation {
  const seconds = T / 1000
  return {
    id: idOf(name),
    state: 'ended',
    userId: 'alice',
    actor: { sub: 'olivia' },
    mayAct: { sub: 'olivia', clientId: 'shop' },
    requestedBy: 'backend',
    client: 'shop',
    resource: 'https://api.example.com',
    scope: 'orders',
    context: { ticketId: 'SUP-1', reason: 'Order lost' },
    issuedAt: seconds,
    redeemableUntil: seconds + 60,
    startedAt: seconds + 5,
    expiresAt: seconds + 600,
    end: { at: seconds + 9, cause: 'requested', by: { sub: 'olivia' } },
    status: { idx: 1, uri: 'https://id.example.com/oidc/status-lists/x' },
    ...more,
  }
}

/** Reconciles, as a process that starts at this time. */
async function reconciled(store: AuditStore, items: Impersonation[], now = T + 10 * MINUTE) {
  const impersonation = { list: async () => ({ items }) }
  let written = 0
  const { stdout } = await quietly(async () => {
    written = await reconcile({ impersonation }, store, recorderOn(store), now)
  })
  return { written, stdout }
}

const toldOf = async (store: AuditStore) =>
  decoded(await readOn(store)).map((entry) => [entry?.event, entry?.afterRestart])

describe('I13: what the provider knows and the audit does not', () => {
  it('is written after a restart: issue, start and end, as the events would have said', async () => {
    const store = memoryAudit()
    const { written, stdout } = await reconciled(store, [kept('a')])
    expect(written).to.equal(3)
    expect(stdout.map((line) => JSON.parse(line).event)).to.deep.equal([
      'impersonation.issued',
      'impersonation.started',
      'impersonation.ended',
    ])
    expect(decoded(await readOn(store))[1]).to.deep.equal({
      ...started('a', T + 5000, { expiresAt: T / 1000 + 600 }),
      afterRestart: true,
    })
    expect(await store.row(idOf('a'))).to.deep.include({
      askedAt: T,
      startedAt: T + 5000,
      expiresAt: T + 600_000,
      end: { at: T + 9000, cause: 'requested', by: 'olivia' },
      ticket: 'SUP-1',
      jti: `impersonation:${idOf('a')}`,
    })
    expect((await reconciled(store, [kept('a')])).written, 'once').to.equal(0)
  })

  it('is written where it is missing alone', async () => {
    const store = memoryAudit()
    await put(store, issued('a', T + 3), used('a', T + 7000))
    expect((await reconciled(store, [kept('a')])).written).to.equal(2)
    expect(await toldOf(store)).to.deep.equal([
      ['impersonation.issued', undefined],
      ['impersonation.used', undefined],
      ['impersonation.started', true],
      ['impersonation.ended', true],
    ])
    expect(await store.row(idOf('a'))).to.include({ askedAt: T + 3, startedAt: T + 5000 })
  })

  it('is left to the process that does it now, where it is not a minute old', async () => {
    const store = memoryAudit()
    const soon = T + 5000 + MINUTE
    expect((await reconciled(store, [kept('a')], soon)).written).to.equal(1)
    expect((await reconciled(store, [kept('a')], soon + 1)).written).to.equal(1)
    expect(await toldOf(store)).to.deep.equal([
      ['impersonation.issued', true],
      ['impersonation.started', true],
    ])
  })

  it('I17: is written beside a row that cannot be read, which is trouble all the same', async () => {
    const store = memoryAudit()
    const damaged: AuditStore = {
      ...store,
      sums: async (ids) => new Map([...(await store.sums(ids)), [idOf('damaged'), 'unreadable']]),
    }
    const names = many(20, (n) => `${n}`)
    const items = ['damaged', ...names].map((name) => kept(name))
    expect(await rejection(reconciled(damaged, items))).to.match(/rows cannot be read/)
    for (const name of names) expect(await store.row(idOf(name))).to.include({ askedAt: T })
  })

  it('is sought by the page, and not for each record', async () => {
    const store = memoryAudit()
    const names = many(250, (n) => `${n}`)
    const pages = [names.slice(0, 100), names.slice(100, 200), names.slice(200)]
    for (const name of names) await put(store, issued(name, T), started(name, T + 5000))
    const calls: string[] = []
    const counting = new Proxy(store, {
      get(of, name) {
        calls.push(String(name))
        return Reflect.get(of, name)
      },
    })
    const list = async ({ cursor = '0' } = {}) => {
      const next = Number(cursor) + 1
      const items = (pages[next - 1] ?? []).map((name) => kept(name, { end: undefined }))
      return { items, next: next < pages.length ? String(next) : undefined }
    }
    const provider = { impersonation: { list } }
    expect(await reconcile(provider, counting, recorderOn(store), T + 10 * MINUTE)).to.equal(0)
    expect(calls.filter((name) => name !== 'keepFor')).to.deep.equal(['sums', 'sums', 'sums'])
  })

  it('is not what retention removed', async () => {
    const store = memoryAudit({ keepFor: 600 })
    const late = T + 9000 + 600_000
    expect((await reconciled(store, [kept('a')], late + 1)).written).to.equal(0)
    expect((await reconciled(store, [kept('a')], late)).written).to.equal(3)
  })

  it('is written once by several consoles at the same time, and shown as what it is', async () => {
    const audit = memoryAudit()
    await using deployment = await deploy({ audit })
    const items = ['a', 'b', 'c'].map((name) => kept(name))
    const counts = await Promise.all([1, 2, 3].map(() => reconciled(audit, items)))
    expect(counts.reduce((sum, { written }) => sum + written, 0)).to.equal(9)
    expect(await readOn(audit)).to.have.length(9)
    const body = await deployment.read('grace', `/audit/${idOf('a')}`)
    const marks = body.entries.map(({ afterRestart }: { afterRestart?: true }) => afterRestart)
    expect(marks).to.deep.equal([true, true, true])
  })
})
