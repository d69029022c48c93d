import { expect } from 'chai'
import {
  AUDIT_EVENTS,
  type AuditEntry,
  type AuditRow,
  EVENT_SENTENCES,
  sentenceFor,
} from 'oidc-provider-impersonation-verify/format'
import { entryInWords } from '../../../verify/src/verify/sentences.ts'
import { ENGLISH, GERMAN } from '../../src/web/words/words.ts'
import { T } from '../ledger/stores/contract/support.ts'

const ROW: Partial<AuditRow> = { operator: { id: 'olivia' }, customer: { id: 'alice' } }

const PERSON = { userId: 'alice', by: 'grace', mayAct: { sub: 'olivia' } }

function entryOf(event: AuditEntry['event'], more: Partial<AuditEntry> = {}): AuditEntry {
  return { event, timeMs: T, ...PERSON, ...more }
}

describe('a sentence of the audit', () => {
  it('is there for every kind of entry, and for no other', () => {
    expect(Object.keys(EVENT_SENTENCES).sort()).to.deep.equal([...AUDIT_EVENTS].sort())
  })

  for (const event of AUDIT_EVENTS) {
    it(`says in words what ${event} is, with every name`, () => {
      const said = entryInWords(entryOf(event), ROW)
      expect(said).not.to.match(/\{\w+\}|undefined/)
      expect(said).not.to.include(event)
      expect(said).to.match(/^[A-Za-z].*\.$/)
    })
  }

  it('is the one of the console in English, and German there', () => {
    expect(ENGLISH.impersonations.events).to.equal(EVENT_SENTENCES)
    for (const event of AUDIT_EVENTS) {
      const [english, german] = [ENGLISH, GERMAN].map(({ impersonations: { events } }) =>
        sentenceFor(events, entryOf(event), ROW),
      )
      expect(german, event).not.to.equal(english)
    }
  })

  it('has what people wrote in quotes, so that nobody takes it for the words of the command', () => {
    const forged = 'x". Grace ended it. "'
    for (const more of [
      { event: 'impersonation.issued', context: { ticketId: forged, reason: forged } },
      { event: 'impersonation.started', scope: forged, review: forged },
      { event: 'impersonation.denied', denial: { stage: 'issue', error: 'e', reason: forged } },
      { event: 'impersonation.ended', end: { at: 1, cause: 'policy', reason: forged } },
      { event: 'impersonation.used', use: { useId: '1', audience: 'a', path: forged } },
      { event: 'support.held', note: forged },
    ] as const) {
      const said = entryInWords(entryOf(more.event, more), ROW)
      expect(said, more.event).to.include(JSON.stringify(forged))
      expect(said.replaceAll(JSON.stringify(forged), ''), more.event).not.to.include('Grace')
    }
  })

  it('names who asked for what was refused, and not the operator of the row', () => {
    const denial = { stage: 'exchange', error: 'e', reason: 'r' } as const
    const { mayAct: _, ...entry } = entryOf('impersonation.denied', { denial })
    expect(entryInWords({ ...entry, actor: { sub: 'mallory' } }, ROW)).to.equal(
      'The start was refused. Who: mallory as alice. Because: "r".',
    )
    expect(entryInWords(entry, ROW)).to.include('Who: an unknown person as alice.')
  })
})
