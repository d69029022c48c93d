import { expect } from 'chai'
import {
  type AuditRecord,
  canSay,
  KINDS,
  may,
  RECORD_STATES,
  SAID_EVENTS,
  type Speaking,
} from 'oidc-provider-impersonation-verify/format'

const NOW = 1_800_000_000_000
const PEOPLE = {
  approver: { id: 'grace', is: ['approver'] },
  lead: { id: 'lena', is: ['lead'] },
  eraser: { id: 'erik', is: ['eraser'] },
  // Their other roles do not count: nobody decides for themselves.
  operator: { id: 'olivia', is: ['approver', 'lead', 'eraser'] },
  customer: { id: 'alice', is: ['approver', 'lead', 'eraser'] },
  asker: { id: 'ada', is: ['approver', 'lead', 'eraser'] },
  deployment: { id: undefined, is: [] },
  nobody: { id: 'nina', is: [] },
} as const satisfies Record<string, Speaking>

/** All that may be said. After a slash: what no button shows, and what is taken back all the same. */
const SAID: Readonly<Record<string, string>> = {
  'approval requested':
    'granted: approver customer asker, declined: approver customer asker, revoked: approver operator customer asker',
  'approval granted': 'revoked: approver operator customer asker',
  'approval over': '/ revoked: approver operator customer asker',
  'approval lapsed': '/ revoked: approver operator customer asker',
  'emergency granted': 'revoked: approver operator customer asker, reviewed: approver asker',
  'emergency over': 'reviewed: approver asker / revoked: approver operator customer asker',
  'emergency revoked': 'reviewed: approver asker',
  'stop stopped': 'lifted: approver lead asker deployment',
  'erasure asked': 'confirmed: eraser operator customer',
}

const STATES = {
  ...Object.fromEntries(RECORD_STATES.map((state) => [state, { state }])),
  lapsed: { state: 'requested', lapsesAt: NOW },
  over: { state: 'granted', until: NOW },
} as Readonly<Record<string, Pick<AuditRecord, 'state'>>>

const recordOf = (kind: AuditRecord['kind'], more: Partial<AuditRecord>): AuditRecord => ({
  ...{ id: 'r', kind, state: 'requested', needs: ['second_person', 'user'], said: [] },
  ...(kind !== 'erasure' && { operator: { id: 'olivia' }, customer: { id: 'alice' } }),
  ...{ by: { id: kind === 'erasure' ? 'ada' : 'olivia' }, until: NOW + 1, lapsesAt: NOW + 1 },
  ...{ requestedAt: NOW - 9, version: 1, lastAt: NOW - 9 },
  ...more,
})

describe('the table of records', () => {
  const kinds = Object.keys(KINDS) as AuditRecord['kind'][]

  it('I15: says who may say what in which state, and nothing else', () => {
    for (const kind of kinds) {
      for (const [name, state] of Object.entries(STATES)) {
        const record = recordOf(kind, state)
        const [shown = '', hidden = ''] = (SAID[`${kind} ${name}`] ?? '').split('/')
        const whoSays = (of: string, event: string) =>
          new RegExp(`${event}: ([\\w ]+)`).exec(of)?.[1]?.trim().split(' ') ?? []
        for (const event of SAID_EVENTS) {
          const can = (test: (person: Speaking) => boolean) =>
            Object.entries(PEOPLE).flatMap(([who, person]) => (test(person) ? who : []))
          const where = `${kind} ${name}: ${event}`
          const buttons = whoSays(shown, event)
          expect(
            can((person) => canSay(record, event, person, NOW)),
            where,
          ).to.have.members(buttons)
          expect(
            can((person) => typeof may(record, event, person, NOW) === 'object'),
            where,
          ).to.have.members([...buttons, ...whoSays(hidden, event)])
        }
      }
    }
  })

  it('one need is decided once, by whom it concerns, and a review is said once', () => {
    const said = [{ event: 'granted', at: NOW, need: 'user' }] as const
    const record = recordOf('approval', { said })
    expect(may(record, 'granted', PEOPLE.customer, NOW)).to.equal('state')
    expect(may(record, 'declined', PEOPLE.approver, NOW)).to.include({ need: 'second_person' })
    expect(
      may(recordOf('approval', { needs: ['user'] }), 'granted', PEOPLE.approver, NOW),
    ).to.equal('state')
    const reviewed = recordOf('emergency', {
      ...{ state: 'granted', said: [{ event: 'reviewed', at: NOW }] },
    })
    expect(may(reviewed, 'reviewed', PEOPLE.approver, NOW)).to.equal('state')
    expect(may(record, 'reviewed', PEOPLE.nobody, NOW), 'no oracle').to.equal('who')
  })
})
