import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import {
  type AuditEntry,
  createPermits,
  type Notice,
  type NoticesOptions,
} from 'oidc-provider-impersonation-console'
import type { ConsolePermits } from '../../../src/features/permits/server/permits.ts'
import { readOn } from '../../ledger/stores/contract/support.ts'
import { begunAnew } from '../../support/begun-anew.ts'
import { later } from '../../support/clock.ts'
import { MACHINE } from '../../support/provider.ts'
import { deployWithPermits, type PermitsDeployment } from '../../support/with-permits.ts'
import { until } from './until.ts'

const HOUR = 3_600_000

const rule: Authorize = ({ account }) =>
  account.accountId === 'alice'
    ? { needs: ['second_person'], emergency: true }
    : { needs: ['user'] }

describe('notices to customers about permits', () => {
  let permits: ConsolePermits
  let deployment: PermitsDeployment
  let sent: Notice[]

  const begin = begunAnew(async (options: Partial<NoticesOptions> = {}) => {
    sent = []
    const send = (notice: Notice) => sent.push(notice)
    const notices = { send, ...options }
    deployment = await deployWithPermits(rule, { permits: { window: 600 }, console: { notices } })
    permits = deployment.permits
    return deployment
  })

  const asked = (more: object = {}) => {
    const ofBob = { customer: 'bob', scope: 'orders:read', ticket: 'SUP-1' }
    return deployment.asked({ ...ofBob, reason: 'see http://evil.example', ...more })
  }
  const emergency = () => deployment.emergency({ ticket: 'SUP-1' })

  /** The stored entries of notices. */
  const stored = async () =>
    (await readOn(deployment.audit)).flatMap(({ text }): AuditEntry[] => {
      const entry: AuditEntry = JSON.parse(text ?? '{}')
      return entry.delivery ? [entry] : []
    })

  const isDue = async () => {
    const due = { to: 'customer', before: Date.now() + 25 * HOUR } as const
    return (await deployment.audit.permits({ due }, { limit: 1 })).permits.length > 0
  }

  it('ask for the approval once per customer and day, with no word that the operator typed', async () => {
    const { id } = await permits.request(asked())
    await until(() => sent.length === 1)
    expect(sent[0]).to.deep.include({
      kind: 'asked',
      permit: id,
      by: 'Olivia Okafor',
      application: 'Shop',
      customer: { id: 'bob', name: 'Bob Marsh', email: 'bob@example.com', language: 'en' },
      subject: 'The support team asks to act as you',
    })
    expect(sent[0]?.text).to.contain('Can be answered until: ')
    expect(`${sent[0]?.text}${sent[0]?.html}`).to.not.match(/evil|SUP-1/)
    await permits.request(asked({ operator: 'oscar' }))
    await permits.request(asked({ customer: 'carla', operator: 'oscar' }))
    await until(() => sent.length === 2)
    expect(sent[1]?.customer.id, 'another customer').to.equal('carla')
    await later(25 * HOUR, async () => {
      await permits.request(asked())
      await until(() => sent.length === 3)
    })
    expect(sent[2]).to.include({ kind: 'asked' })
    expect(sent[2]?.id).to.not.equal(sent[0]?.id)
    const told = (await stored()).filter(({ event }) => event === 'support.told')
    expect(told).to.have.length(3)
  })

  it('ask once a day also where the first request is decided, however many there were since', async () => {
    const first = await permits.request(asked())
    await until(async () => (await stored()).length === 2)
    await permits.decide(first.id, 'revoked', { by: 'olivia' })
    for (const operator of ['olivia', 'oscar', 'ada']) {
      for (let times = 0; times < 40; times += 1) {
        const { id } = await permits.request(asked({ operator, ticket: `SUP-${times}` }))
        await permits.decide(id, 'revoked', { by: operator })
      }
    }
    await permits.request(asked())
    await permits.request(asked({ customer: 'carla', operator: 'oscar' })).catch(() => {})
    await until(async () => !(await isDue()))
    expect(sent.filter(({ customer }) => customer.id === 'bob')).to.have.length(1)
  })

  it('of two requests at two processes at once one is told, with the id of its request', async () => {
    const other = createPermits({ audit: deployment.audit, approvers: () => [{ id: 'grace' }] })
    other.attach(deployment.provider, { issueAs: MACHINE.clientId, notify: ['asked'] })
    const both = await Promise.all([
      permits.request(asked()),
      other.request(asked({ operator: 'oscar' })),
    ])
    await until(async () => sent.length > 0 && !(await isDue()))
    expect(sent).to.have.length(1)
    expect(both.map(({ id }) => id)).to.include(sent[0]?.permit)
    await other.close()
  })

  it('ask for nothing that is decided already, or cannot be answered any more', async () => {
    let isBroken = true
    await begin({
      send(notice) {
        if (isBroken) throw new Error('no connection')
        sent.push(notice)
      },
    })
    const decided = await permits.request(asked())
    const waiting = await permits.request(asked({ customer: 'carla' }))
    await until(async () => (await stored()).length === 4)
    await permits.decide(decided.id, 'granted', { by: 'bob' })
    isBroken = false
    await later(25 * HOUR, () => until(async () => (await stored()).length === 5))
    const [last] = (await stored()).slice(-1)
    expect(last).to.deep.include({ event: 'support.untold', permit: waiting.id })
    expect(sent).to.deep.equal([])
    // The decision stands, with its entry about the notice before it.
    expect((await permits.get(decided.id))?.state).to.equal('granted')
    expect(await permits.get(decided.id)).to.not.have.property('notice')
  })

  it('tell of what ran in an emergency that nobody allowed it before, and of nothing else', async () => {
    await begin({ digest: 0 })
    await emergency()
    await deployment.impersonate({ ticket: 'SUP-1' })
    await permits.answer('bob', 'allow')
    await deployment.impersonate({ customer: 'bob', ticket: 'SUP-1' })
    await until(() => sent.length === 4)
    const threads = (id: string) =>
      sent.filter((each) => each.customer.id === id).map((each) => each.thread)
    expect(new Set(threads('alice')).size, 'one ticket').to.equal(1)
    expect(new Set(threads('bob')).size, 'a ticket, and none').to.equal(2)
    for (const { customer, unapproved, text, html } of sent) {
      const isEmergency = customer.id === 'alice'
      expect(unapproved, customer.id).to.equal(isEmergency ? 'emergency' : undefined)
      for (const told of [text, html]) {
        expect(told.includes('This is an emergency. Nobody allowed it before.')).to.equal(
          isEmergency,
        )
      }
    }
  })

  it('tell of an emergency, and that the customer allowed it for all requests', async () => {
    await begin({ when: ['emergency', 'opened'], by: 'Team Nord' })
    await emergency()
    await permits.request(asked())
    await permits.answer('bob', 'allow')
    await until(() => sent.length === 2)
    const [first, second] = sent.toSorted((a, b) => a.kind.localeCompare(b.kind))
    expect(first).to.include({ kind: 'emergency', by: 'Team Nord', unapproved: 'emergency' })
    expect(first?.text).to.contain('Nobody allowed it before.')
    expect(first?.text).to.match(/^Until: /m)
    expect(second).to.include({
      kind: 'opened',
      subject: 'You allowed the support team to act as you',
    })
    expect(second?.by, 'the customer did it').to.equal(undefined)
    expect(second?.customer.id).to.equal('bob')
    expect(second?.expiresAt).to.equal(undefined)
    await permits.answer('bob', 'ask')
    expect((await permits.answer('bob')).choice).to.equal('ask')
  })
})
