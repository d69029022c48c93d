import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import { SAID_EVENTS, type SaidEvent } from 'oidc-provider-impersonation-verify/format'
import { renewed } from '../../../../../test/support/shared.ts'
import { rejection } from '../../ledger/stores/contract/support.ts'
import { expectStatus } from '../../support/expect-answer.ts'
import { formsOf } from '../../support/forms.ts'
import { storePause } from '../../support/store-pause.ts'
import { deployWithPermits, RULE } from '../../support/with-permits.ts'
import { over, recordPast } from '../personal-data/person.ts'

/** A change needs a second person; in Bob's account, both. */
const rule: Authorize = (request) =>
  request.account.accountId === 'bob' ? { needs: ['second_person', 'user'] } : RULE(request)

const NOTE = { note: 'Because' }

/** A record, and its history. */
interface Begun {
  /** @returns the id */
  readonly begin: () => Promise<string>
  /** Earlier words about it, and their speakers. */
  readonly said?: readonly (readonly [SaidEvent, by: string])[]
  /** The words of each person; all others are refused. Olivia asks, Grace and Oscar approve, Ada may erase. */
  readonly may: Readonly<Record<string, string>>
}

describe('records', () => {
  const deployment = renewed(() => {
    const approvers = ['grace', 'oscar'].map((id) => ({ id, name: id }))
    return deployWithPermits(rule, {
      permits: { approvers: () => approvers },
      console: { mayErase: ({ accountId }) => ['ada', 'grace'].includes(accountId) },
    })
  })
  const request = (more?: object) => () => deployment.request(more)
  const emergency = async () => (await deployment.emergency()).id
  const ofBob = request({ customer: 'bob' })
  const decided = 'granted declined revoked'
  const both = (words: string) => ({ grace: words, oscar: words })
  const nobody = { olivia: '', ...both(''), ada: '', alice: '' }

  const TABLE: Readonly<Record<string, Begun>> = {
    'a request that the customer is asked about, too': {
      begin: ofBob,
      may: { olivia: 'revoked', ...both(decided), ada: '', bob: decided },
    },
    'what an approver granted, and the customer did not': {
      begin: ofBob,
      said: [['granted', 'grace']],
      may: { olivia: 'revoked', ...both('revoked'), ada: '', bob: decided },
    },
    'what the customer allowed, and no approver did': {
      begin: ofBob,
      said: [['granted', 'bob']],
      may: { olivia: 'revoked', ...both(decided), ada: '', bob: 'revoked' },
    },
    'an approval': {
      begin: request(),
      said: [['granted', 'grace']],
      may: { olivia: 'revoked', ...both('revoked'), ada: '', alice: 'revoked' },
    },
    'an approval of an approver': {
      begin: request({ operator: 'oscar' }),
      said: [['granted', 'grace']],
      may: { ...both('revoked'), olivia: '', ada: '' },
    },
    'a request that was declined': {
      begin: request(),
      said: [['declined', 'grace']],
      may: nobody,
    },
    'an emergency': {
      begin: emergency,
      may: { olivia: 'revoked', ...both('revoked reviewed'), ada: '', alice: 'revoked' },
    },
    'an emergency that was reviewed': {
      begin: emergency,
      said: [['reviewed', 'grace']],
      may: { olivia: 'revoked', ...both('revoked'), ada: '', alice: 'revoked' },
    },
    'an objection': {
      async begin() {
        const about = { operator: 'olivia', customer: 'alice', by: 'alice' }
        return (await storePause(deployment, about)).id
      },
      may: { ...nobody, ...both('lifted') },
    },
    'a stop by a lead': {
      begin: async () => (await deployment.ask('grace', '/stops', { operator: 'olivia' })).body.id,
      may: { ...nobody, ...both('lifted') },
    },
    'an answer for all requests': {
      async begin() {
        await deployment.permits.answer('alice', 'allow')
        const body = await deployment.read('ada', '/records?kind=answer')
        return body.records[0].id
      },
      may: nobody,
    },
    'a request to erase': {
      async begin() {
        await recordPast(deployment.audit, ...over('d', 'dana'))
        return (await deployment.ask('grace', '/personal-data/dana/erase', NOTE)).body.id
      },
      may: { olivia: '', ...both(''), ada: 'confirmed' },
    },
  }

  async function ownPage(who: string) {
    const { accessToken } = await deployment.signIn(who, { clientId: 'customer-account' })
    const headers = { accept: 'text/html', cookie: `customer-account=${accessToken}` }
    const page = await fetch(`${deployment.url}/account`, { headers })
    expect(page.status).to.equal(200)
    return { text: await page.text() }
  }

  for (const [what, { begin, said = [], may: rights }] of Object.entries(TABLE)) {
    it(`of ${what}, each person is shown the buttons that work, and is refused all else`, async () => {
      const id = await begin()
      for (const [word, by] of said) await deployment.permits.decide(id, word, { by, ...NOTE })
      const may = (who: string) => (rights[who] ?? '').split(' ').filter((word) => word !== '')
      const isOfStaff = (who: string) => deployment.roles.has(who)
      const say = (who: string, word: string) =>
        deployment[isOfStaff(who) ? 'ask' : 'account'](who, `/records/${id}/${word}`, NOTE)
      for (const who of Object.keys(rights)) {
        for (const word of SAID_EVENTS.filter((each) => !may(who).includes(each))) {
          const { status } = await say(who, word)
          expect(status, `${who}: ${word}`).to.be.oneOf([403, 404, 409])
        }
        const pages = [`/records/${id}`, '', '/personal-data/dana']
        const texts = isOfStaff(who)
          ? await Promise.all(pages.map((path) => deployment.browse(who, path)))
          : [await ownPage(who)]
        const buttons = texts.flatMap(({ text }) => [...formsOf(text).keys()])
        const shown = buttons.flatMap((action) => action.split(`/records/${id}/`)[1] ?? [])
        // A person who can refuse need not take back.
        const isHidden = (word: string) => word === 'revoked' && may(who).includes('declined')
        expect([...new Set(shown)], who).to.have.members(may(who).filter((word) => !isHidden(word)))
      }
      const [who, words] = Object.entries(rights).find(([, each]) => each !== '') ?? []
      if (who === undefined || words === undefined) return
      const [first = ''] = words.split(' ')
      expect((await say(who, first)).status, `${who}: ${first}`).to.be.oneOf([200, 204])
      expect((await say(who, first)).status, 'once').to.be.oneOf([404, 409])
    })
  }

  it('I15: neither an impersonated token nor a lead who is none any more decides', async () => {
    const id = await deployment.request()
    const { accessToken: token } = await deployment.impersonate({ access: 'read' })
    const say = (who: string | { token: string }) =>
      deployment.ask(who, `/records/${id}/granted`, {})
    expectStatus(await say({ token }), 401)
    deployment.roles.set('grace', 'auditor')
    deployment.roles.delete('oscar')
    expectStatus(await say('oscar'), 403)
    expect((await deployment.permits.get(id))?.state).to.equal('requested')
  })

  it('that ask to erase are confirmed where it is carried out, and by no code that decides', async () => {
    const id = (await TABLE['a request to erase']?.begin()) ?? ''
    const error = await rejection(
      deployment.permits.decide(id, 'confirmed', { by: 'ada', ...NOTE }),
    )
    expect(error).to.include({ error: 'access_denied' })
    // The history has it, and no way to the person.
    const { records } = await deployment.read('grace', '/records?kind=erasure')
    expect(records[0]).to.include({ id, state: 'asked' }).and.not.have.property('impersonation')
  })

  it('that need a note are not said without one', async () => {
    const id = await emergency()
    for (const note of [undefined, '\u200b', '\u2060 \ufeff']) {
      const { status, body } = await deployment.ask('grace', `/records/${id}/reviewed`, { note })
      expect([status, body.error_description]).to.deep.equal([400, 'note is required'])
    }
    expectStatus(await deployment.ask('grace', `/records/${id}/reviewed`, NOTE), 200)
  })

  it('that were declined before are shown to everybody who decides, by whom and why', async () => {
    const id = await deployment.request()
    await deployment.permits.decide(id, 'declined', { by: 'grace', note: 'Call first' })
    const again = await deployment.request({ ticket: 'SUP-9' })
    const { id: urgent } = await deployment.emergency({ ticket: 'SUP-8' })
    for (const next of [again, urgent]) {
      const { declinedBefore } = (await deployment.read('oscar', `/records/${next}`)).record
      expect(declinedBefore).to.have.length(1)
      expect(declinedBefore[0]).to.deep.include({ id, ticket: 'SUP-123', note: 'Call first' })
    }
    const page = (await deployment.browse('oscar', '')).text
    expect(page.match(/refused a request of the same operator/g)).to.have.length(2)
  })

  it('wait in the inbox of each who has a word to say, with one number', async () => {
    const begin = (what: string) => TABLE[what]?.begin()
    await begin('a request to erase')
    await begin('an objection')
    await deployment.request({ operator: 'grace', customer: 'carla' })
    await ofBob()
    await deployment.emergency({ operator: 'oscar' })
    await begin('a stop by a lead')
    for (const [who, kinds] of [
      // The stop takes back the requests of Olivia.
      ['grace', ['emergency', 'stop']],
      ['oscar', ['stop', 'approval']],
      ['ada', ['erasure']],
      ['olivia', []],
    ] as const) {
      const { inbox } = await deployment.read(who, '')
      expect(
        inbox.records.map(({ kind }: { kind: string }) => kind),
        who,
      ).to.deep.equal(kinds)
      const { text } = await deployment.browse(who, '')
      const number = /<title>(?:\((\d+)\) )?/.exec(text)?.[1] ?? '0'
      expect(number, who).to.equal(`${kinds.length}`)
    }
  })

  it('that are one event with an alarm are one card, and lifting it closes both', async () => {
    const running = await deployment.impersonate({ access: 'read' })
    await deployment.account('alice', '/objection', { id: running.id, note: 'I never called' })
    const { inbox } = await deployment.read('grace', '')
    expect([inbox.records.length, inbox.alarms]).to.deep.equal([1, []])
    const [{ id, impersonation, note }] = inbox.records
    expect([impersonation, note]).to.deep.equal([running.id, 'I never called'])
    const before = (await deployment.accountOf('alice')).past.impersonations[0]
    expect(before).to.include.keys('objectedAt').and.not.have.property('lookedIntoAt')
    await deployment.ask('grace', `/records/${id}/lifted`, { note: 'Spoke with Alice' })
    const after = (await deployment.read('grace', '')).inbox
    expect(after).to.deep.equal({ records: [], alarms: [] })
    const told = await deployment.account('alice', '')
    expect(told.body.past.impersonations[0].lookedIntoAt).to.be.a('number')
    expect(told.text, 'the note is for the team').to.not.include('Spoke with')
  })
})
