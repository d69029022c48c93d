import { expect } from 'chai'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { expectStatus } from '../../support/expect-answer.ts'
import { formsOf, press, readPage } from '../../support/forms.ts'
import { storePause } from '../../support/store-pause.ts'
import { deployWithPermits, RULE_WITHOUT_CARLA } from '../../support/with-permits.ts'

const ACT = '/impersonations'

const formOf = (more: object = {}) =>
  `/act?${new URLSearchParams({ user: 'alice', ticket: 'SUP-1', reason: 'The parcel is late', ...more })}`

const read = (deployment: Deployment, more: object = {}) =>
  readPage(deployment, 'olivia', formOf(more))

describe('the form to act', () => {
  it('is filled in by the link of a ticket system, as text, and starts by one press', async () => {
    await using deployment = await deploy()
    const html = await read(deployment, { reason: '<b>"late" & lost' })
    expect(html).to.include('<h1>Act as Alice Ng</h1>').and.to.include('alice@example.com')
    expect(formsOf(html).get(ACT)).to.include({
      userId: 'alice',
      ticketId: 'SUP-1',
      access: 'read',
      duration: '300',
      reason: '&lt;b>&quot;late&quot; &amp; lost',
      application: 'shop',
    })
    const { status, headers } = await press(deployment, html, ACT, { more: { reason: 'late' } })
    expect([status, headers.get('location')?.split('#')[0]]).to.deep.equal([
      303,
      `${deployment.shopUrl}/`,
    ])
    const [issued] = (await deployment.provider.impersonation.list({ state: 'issued' })).items
    expect(issued?.context).to.deep.include({ ticketId: 'SUP-1', reason: 'late', duration: 300 })
  })

  it('says whom it is about, or that the link names nobody, or a customer who is not there', async () => {
    await using deployment = await deploy()
    expect(await readPage(deployment, 'olivia', '/act')).to.include('This link names no customer.')
    expectStatus(await deployment.browse('olivia', formOf({ user: 'ghost' })), 404)
    expectStatus(await deployment.browse('ada', formOf()), 403, 'an auditor')
  })

  it('has no button for a protected customer, a stopped operator, oneself, and what the rule refuses', async () => {
    await using deployment = await deployWithPermits(RULE_WITHOUT_CARLA)
    await storePause(deployment, { operator: 'olivia', customer: 'bob', by: 'bob' })
    deployment.roles.set('alice', 'operator')
    for (const [who, user, why] of [
      ['olivia', 'paula', 'Paula works here: support does not act as colleagues.'],
      ['olivia', 'bob', 'said that they did not ask for what you did'],
      ['alice', 'alice', 'You can’t act as yourself.'],
      ['olivia', 'carla', 'The rules do not allow this.'],
    ] as const) {
      const html = await readPage(deployment, who, formOf({ user }))
      expect(html, user).to.include(why)
      expect(html, user).to.not.match(/<button[^>]*>[^<]*(?:Act as|Ask for)/)
      expect(html, 'a way on').to.match(/<h1>.*href="\/console\/(?:customers|records)/s)
    }
  })

  it('comes back with what was typed, and says at the field what is wrong', async () => {
    await using deployment = await deploy({
      console: { ticket: { pattern: /SUP-\d+/, example: 'SUP-42' } },
    })
    const more = { ticketId: 'nonsense', reason: '<script>typed' }
    const answer = await press(deployment, await read(deployment), ACT, { more })
    expectStatus(answer, 400)
    expect(formsOf(answer.text).get(ACT)).to.include({ ...more, reason: '&lt;script>typed' })
    expect(answer.text).to.match(/class="problem">A ticket number looks like this here: .?SUP-42/)
    const { items } = await deployment.provider.impersonation.list({})
    expect(items).to.deep.equal([])
  })

  it('says what runs in the application, and ends it once the next one is issued', async () => {
    await using deployment = await deploy()
    const first = await deployment.impersonate({ customer: 'bob' })
    const html = await read(deployment)
    expect(html).to.include("You're acting as Bob Marsh in Shop. One customer at a time.")
    expect(html).to.include('>End that and act as Alice Ng<')
    const state = async () => await deployment.stateOf(first.id)
    deployment.protect('alice', 'Alice is in court.')
    expectStatus(await press(deployment, html, ACT), 403)
    expect(await state(), 'a refusal ends nothing').to.equal('active')
    deployment.protect('alice', undefined)
    expectStatus(await press(deployment, html, ACT), 303)
    expect(await state()).to.equal('ended')
  })

  it('asks for an approval where the rule needs one, in the same tab, and starts by it', async () => {
    await using deployment = await deployWithPermits(RULE_WITHOUT_CARLA)
    const { permits } = deployment
    const change = { access: 'change' }
    const html = await read(deployment, change)
    expect(html).to.match(/needs the approval of a second person/)
    expect(html).to.not.match(/<button[^>]*>Act as/)
    expect(html).to.match(/formaction="\/console\/permits" formtarget="_self"/)
    const asked = await press(deployment, html, ACT, { button: '/permits' })
    const id = /^\/console\/records\/(.+)$/.exec(asked.headers.get('location') ?? '')?.[1] ?? ''
    expect(await permits.get(id)).to.deep.include({ state: 'requested', ticket: 'SUP-1' })
    const waiting = await read(deployment, change)
    expect(waiting).to.include('You have asked for this already.')
    expect(waiting).to.not.include('Ask for approval')
    await permits.decide(id, 'granted', { by: 'grace' })
    const granted = await read(deployment, change)
    expect(granted).to.match(/<button[^>]*>Act as Alice Ng</)
    expectStatus(await press(deployment, granted, ACT), 303)
  })

  it('that needs no approval any more says so, and starts then', async () => {
    let isNeeded = true
    await using deployment = await deployWithPermits(() =>
      isNeeded ? { needs: ['second_person'] } : true,
    )
    const html = await read(deployment)
    isNeeded = false
    const answer = await press(deployment, html, ACT, { button: '/permits' })
    expectStatus(answer, 409)
    expect(answer.text).to.include('This needs no approval any more: you can start.')
    expectStatus(await press(deployment, answer.text, ACT), 303)
  })

  it('says at the press what it could not foresee: the form has the way to ask then', async () => {
    await using deployment = await deployWithPermits(RULE_WITHOUT_CARLA)
    const more = { ticketId: 'SUP-9', access: 'change' }
    const answer = await press(deployment, await read(deployment, { ticket: '' }), ACT, { more })
    expectStatus(answer, 403)
    expect(answer.text)
      .to.include('>Ask for approval<')
      .and.to.not.match(/<button[^>]*>Act as/)
    expect(formsOf(answer.text).get(ACT)).to.include(more)
  })

  it('starts in an emergency, with the reason why it cannot wait, and not without', async () => {
    await using deployment = await deployWithPermits(RULE_WITHOUT_CARLA)
    const html = await read(deployment, { access: 'change' })
    const isEmergency = 'true'
    const without = await press(deployment, html, ACT, { more: { isEmergency } })
    expectStatus(without, 400)
    expect(without.text, 'it is open').to.match(/<details id="emergency"[^>]* open/)
    const emergency = 'The order leaves in five minutes'
    expectStatus(await press(deployment, html, ACT, { more: { isEmergency, emergency } }), 303)
    const [permit] = (await deployment.permits.list({ operator: 'olivia' })).records
    expect(permit).to.include({ kind: 'emergency', why: emergency })
  })
})
