import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import { createPermits, type Permits } from 'oidc-provider-impersonation-console'
import { SAID_EVENTS, type SaidEvent } from 'oidc-provider-impersonation-verify/format'
import { openedStore } from '../../../src/ledger/stores/opened-store.ts'
import { askAs } from '../../support/account.ts'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { formsOf } from '../../support/forms.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { storePause } from '../../support/store-pause.ts'
import { over, processOn } from '../personal-data/person.ts'

/** A change needs a second person; in Bob's account, both. */
const rule: Authorize = ({ account, scope = '' }) => {
  if (account.accountId === 'bob') return { needs: ['second_person', 'user'] }
  return scope.includes('orders:write') ? { needs: ['second_person'], emergency: true } : true
}

const NOTE = { note: 'Because' }

/** What each person may say; all others are refused. Olivia asks, Grace and Oscar approve, Ada may erase. */
const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a request': {
    olivia: 'revoked',
    grace: 'granted declined revoked',
    oscar: 'granted declined revoked',
    ada: '',
    bob: '',
  },
  'a request that the customer is asked about, too': {
    olivia: 'revoked',
    grace: 'granted declined revoked',
    oscar: 'granted declined revoked',
    ada: '',
    bob: 'granted declined revoked',
  },
  'what an approver granted, and the customer did not': {
    olivia: 'revoked',
    grace: 'revoked',
    oscar: 'revoked',
    ada: '',
    bob: 'granted declined revoked',
  },
  'what the customer allowed, and no approver did': {
    olivia: 'revoked',
    grace: 'granted declined revoked',
    oscar: 'granted declined revoked',
    ada: '',
    bob: 'revoked',
  },
  'an approval': {
    olivia: 'revoked',
    grace: 'revoked',
    oscar: 'revoked',
    ada: '',
    alice: 'revoked',
  },
  'an approval of an approver': { oscar: 'revoked', grace: 'revoked', olivia: '', ada: '' },
  'a request that was declined': { olivia: '', grace: '', oscar: '', ada: '', alice: '' },
  'a request that was taken back': { olivia: '', grace: '', oscar: '', ada: '', alice: '' },
  'an emergency': {
    olivia: 'revoked',
    grace: 'revoked reviewed',
    oscar: 'revoked reviewed',
    ada: '',
    alice: 'revoked',
  },
  'an emergency that was taken back': {
    olivia: '',
    grace: 'reviewed',
    oscar: 'reviewed',
    ada: '',
    alice: '',
  },
  'an emergency that was reviewed': {
    olivia: 'revoked',
    grace: 'revoked',
    oscar: 'revoked',
    ada: '',
    alice: 'revoked',
  },
  'an objection': { olivia: '', grace: 'lifted', oscar: 'lifted', ada: '', alice: '' },
  'a stop by a lead': { olivia: '', grace: 'lifted', oscar: 'lifted', ada: '' },
  'an answer for all requests': { olivia: '', grace: '', ada: '', alice: '' },
  'a request to erase': { olivia: '', oscar: '', grace: '', ada: 'confirmed' },
}

describe('records', function () {
  this.timeout(60_000)
  let permits: Permits
  let deployment: Deployment

  beforeEach(async () => {
    const audit = memoryAudit()
    const approvers = ['grace', 'oscar'].map((id) => ({ id, name: id }))
    permits = createPermits({ audit, approvers: () => approvers, standing: {} })
    const mayErase = ({ accountId }: { accountId: string }) => ['ada', 'grace'].includes(accountId)
    deployment = await deploy({
      ...{ audit, authorize: permits.wrap(rule), console: { permits, mayErase } },
    })
  })
  afterEach(() => deployment[Symbol.asyncDispose]())

  const facts = (more: object = {}) => ({
    ...{ customer: 'alice', operator: 'olivia', application: 'shop', ticket: 'SUP-1' },
    ...{ resource: `${deployment.url}/orders`, scope: 'orders:read orders:write' },
    ...{ reason: 'The address is wrong', ...more },
  })
  const request = async (more: object = {}) => (await permits.request(facts(more))).id
  const emergency = async (more: object = {}) =>
    (await permits.emergency({ ...facts(more), why: 'It cannot wait' })).id
  const said = async (id: Promise<string>, event: SaidEvent, by = 'grace') =>
    (await permits.decide(await id, event, { by, ...NOTE })).id

  const BEGIN: Readonly<Record<string, () => Promise<string>>> = {
    'a request': request,
    'a request that the customer is asked about, too': () => request({ customer: 'bob' }),
    'what an approver granted, and the customer did not': () =>
      said(request({ customer: 'bob' }), 'granted'),
    'what the customer allowed, and no approver did': () =>
      said(request({ customer: 'bob' }), 'granted', 'bob'),
    'an approval': () => said(request(), 'granted'),
    'an approval of an approver': () => said(request({ operator: 'oscar' }), 'granted'),
    'a request that was declined': () => said(request(), 'declined'),
    'a request that was taken back': () => said(request(), 'revoked'),
    'an emergency': emergency,
    'an emergency that was taken back': () => said(emergency(), 'revoked'),
    'an emergency that was reviewed': () => said(emergency(), 'reviewed'),
    async 'an objection'() {
      const about = { operator: 'olivia', customer: 'alice', by: 'alice' }
      return (await storePause(deployment, about)).id
    },
    async 'a stop by a lead'() {
      return (await deployment.ask('grace', '/stops', { operator: 'olivia' })).body.id
    },
    async 'an answer for all requests'() {
      await permits.answer('alice', 'allow')
      const { body } = await deployment.ask('ada', '/records?kind=answer')
      return body.records[0].id
    },
    async 'a request to erase'() {
      const past = processOn(openedStore(deployment.audit))
      await past.record(...over('d', 'dana'))
      await past.close()
      const { body } = await deployment.ask('grace', '/personal-data/dana/erase', NOTE)
      return body.id
    },
  }

  async function ownPage(who: string): Promise<{ readonly text: string }> {
    const { accessToken } = await deployment.signIn(who, { clientId: 'customer-account' })
    const headers = { accept: 'text/html', cookie: `customer-account=${accessToken}` }
    const page = await fetch(`${deployment.url}/account`, { headers })
    expect(page.status).to.equal(200)
    return { text: await page.text() }
  }

  for (const [what, rights] of Object.entries(TABLE)) {
    it(`of ${what}, each person is shown the buttons that work, and is refused all else`, async () => {
      const id = (await BEGIN[what]?.()) ?? ''
      const may = (who: string) => (rights[who] ?? '').split(' ').filter((word) => word !== '')
      const isOfStaff = (who: string) => deployment.roles.has(who)
      const say = (who: string, word: string) =>
        isOfStaff(who)
          ? deployment.ask(who, `/records/${id}/${word}`, NOTE)
          : askAs(deployment, who, `/records/${id}/${word}`, NOTE)
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
        // Who can refuse need not take back.
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
    const id = await request()
    const { accessToken: token } = await deployment.impersonate({ access: 'read' })
    const say = (who: string | { token: string }) =>
      deployment.ask(who, `/records/${id}/granted`, {})
    expect((await say({ token })).status).to.equal(401)
    deployment.roles.set('grace', 'auditor')
    deployment.roles.delete('oscar')
    expect((await say('oscar')).status).to.equal(403)
    expect((await permits.get(id))?.state).to.equal('requested')
  })

  it('that ask to erase are confirmed where it is carried out, and by no code that decides', async () => {
    const asked = BEGIN['a request to erase']?.() ?? expect.fail()
    const answer = await said(asked, 'confirmed', 'ada').catch(({ error }) => error)
    expect(answer).to.equal('access_denied')
    expect((await permits.get(await asked))?.state).to.equal('asked')
  })

  it('that need a note are not said without one', async () => {
    const id = await emergency()
    for (const note of [undefined, '\u200b', '\u2060 \ufeff']) {
      const { status, body } = await deployment.ask('grace', `/records/${id}/reviewed`, { note })
      expect([status, body.error_description]).to.deep.equal([400, 'note is required'])
    }
    expect((await deployment.ask('grace', `/records/${id}/reviewed`, NOTE)).status).to.equal(200)
  })

  it('that were declined before are shown to everybody who decides, by whom and why', async () => {
    const id = await request()
    await permits.decide(id, 'declined', { by: 'grace', note: 'Call first' })
    for (const next of [await request({ ticket: 'SUP-9' }), await emergency({ ticket: 'SUP-8' })]) {
      const { declinedBefore } = (await deployment.ask('oscar', `/records/${next}`)).body.record
      expect(declinedBefore).to.have.length(1)
      expect(declinedBefore[0]).to.deep.include({ id, ticket: 'SUP-1', note: 'Call first' })
    }
    const page = (await deployment.browse('oscar', '')).text
    expect(page.match(/refused a request of the same operator/g)).to.have.length(2)
  })

  it('wait in the inbox of each who has a word to say, with one number', async () => {
    await BEGIN['a request to erase']?.()
    await BEGIN['an objection']?.()
    await request({ operator: 'grace', customer: 'carla' })
    await request({ customer: 'bob' })
    await emergency({ operator: 'oscar' })
    await BEGIN['a stop by a lead']?.()
    for (const [who, kinds] of [
      // What olivia asked for is taken back by the stop.
      ['grace', ['emergency', 'stop']],
      ['oscar', ['stop', 'approval']],
      ['ada', ['erasure']],
      ['olivia', []],
    ] as const) {
      const { inbox } = (await deployment.ask(who, '')).body
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
    await deployment.settled()
    await askAs(deployment, 'alice', '/objection', { id: running.id, note: 'I never called' })
    await deployment.settled()
    const { inbox } = (await deployment.ask('grace', '')).body
    expect([inbox.records.length, inbox.alarms]).to.deep.equal([1, []])
    const [{ id, impersonation, note }] = inbox.records
    expect([impersonation, note]).to.deep.equal([running.id, 'I never called'])
    const before = (await askAs(deployment, 'alice', '/impersonations')).body.impersonations[0]
    expect(before).to.include.keys('objectedAt').and.not.have.property('lookedIntoAt')
    await deployment.ask('grace', `/records/${id}/lifted`, { note: 'Spoke with Alice' })
    const after = (await deployment.ask('grace', '')).body.inbox
    expect(after).to.deep.equal({ records: [], alarms: [] })
    const told = await askAs(deployment, 'alice', '/impersonations')
    expect(told.body.impersonations[0].lookedIntoAt).to.be.a('number')
    expect(told.text, 'the note is for the team').to.not.include('Spoke with')
  })
})
