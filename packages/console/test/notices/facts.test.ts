import { expect } from 'chai'
import type { PermitRecord } from 'oidc-provider-impersonation-verify/format'
import { factsOfPermit } from '../../src/notices/facts.ts'

const NOON = Date.parse('2026-03-01T12:00:00Z')

const record = (more: Partial<PermitRecord> = {}): PermitRecord => ({
  ...{ id: 'one', kind: 'approval', state: 'requested', needs: ['user'], decisions: [] },
  ...{ customer: { id: 'alice' }, operator: { id: 'olivia' }, application: 'shop' },
  ...{
    resource: 'urn:orders',
    scope: 'read',
    for: 60,
    requestedAt: NOON,
    lastAt: NOON,
    version: 1,
  },
  ...more,
})

describe('the id of a notice that asks for an approval', () => {
  const identityOf = (more: Partial<PermitRecord>) => factsOfPermit(record(more), 'asked').identity

  it('is one for all who ask a customer on one day', () => {
    const first = identityOf({})
    const other = { id: 'two', operator: { id: 'oscar' }, requestedAt: NOON + 60_000 }
    expect(identityOf(other)).to.deep.equal(first)
  })

  it('is another one of another customer, of another day, and of an emergency', () => {
    const [first, ...others] = [
      identityOf({}),
      identityOf({ customer: { id: 'bob' } }),
      identityOf({ requestedAt: NOON + 86_400_000 }),
      identityOf({ kind: 'emergency' }),
      identityOf({ kind: 'emergency', id: 'two' }),
    ].map((each) => JSON.stringify(each))
    expect(new Set([first, ...others]).size).to.equal(5)
  })
})
