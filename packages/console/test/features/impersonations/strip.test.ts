import { expect } from 'chai'
import { freePort } from '../../../../../test/adapters/servers.ts'
import { renewed } from '../../../../../test/support/shared.ts'
import { ACT } from '../../support/acting.ts'
import { later } from '../../support/clock.ts'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { expectStatus } from '../../support/expect-answer.ts'
import { formsOf, press, readPage } from '../../support/forms.ts'
import { readText } from '../../support/read-text.ts'

const MINUTE = 60_000
/** A page of which the operator is not thinking. */
const read = (deployment: Deployment, who = 'olivia', path = '/people?who=customer') =>
  readPage(deployment, who, path)

describe('the strip of every page', () => {
  const deployment = renewed(() => deploy())

  it('has what the reader runs, and nothing of others; an auditor has none', async () => {
    await deployment.impersonate({ ticket: 'SUP-1', access: 'read' })
    await deployment.impersonate({ operator: 'oscar', customer: 'bob', ticket: 'SUP-2' })
    const html = await read(deployment)
    expect(html).to.match(/You're acting as.*Alice Ng.*SUP-1.*Shop.*Look only/s)
    expect(html).to.not.match(/Bob|SUP-2/)
    expect(html, 'one that begins is seen').to.include('data-about="running"')
    expect(await read(deployment, 'ada')).to.not.match(/my-running|data-about="running"/)
  })

  it('ends it, says so, and comes back to the page', async () => {
    const { id } = await deployment.impersonate()
    const html = await read(deployment)
    const { status, headers } = await press(deployment, html, `/running/${id}/end`)
    expect([status, headers.get('location')]).to.deep.equal([303, '/console/people?who=customer'])
    expect(await deployment.stateOf(id)).to.equal('ended')
    const cookie = `support-console=${await deployment.tokenOf('olivia')}; ${headers.get('set-cookie')}`
    const { text } = await deployment.browse('olivia', '/people?who=customer', { cookie })
    expect(text).to.include('It is ended.')
  })

  it('offers to go on in the last minute, and for ten minutes after an end of the reader’s own', async () => {
    const { id } = await deployment.impersonate({ ticket: 'SUP-7', duration: 120 })
    const label = 'Continue for SUP-7, as Alice Ng'
    expect(await read(deployment), 'before').to.not.include(label)
    await later(MINUTE + 5000, async () => {
      const html = await read(deployment)
      expect(html).to.include(label).and.to.include('One minute left to act as Alice Ng.')
    })
    await later(3 * MINUTE, async () =>
      expect(await read(deployment))
        .to.include(label)
        .and.to.not.include('my-running'),
    )
    await later(13 * MINUTE, async () => expect(await read(deployment)).to.not.include(label))
    await deployment.provider.impersonation.end(id, { by: { sub: 'olivia' } })
    await deployment.settled()
    const html = await read(deployment)
    expect(html).to.include(label)
    const { status, headers } = await press(deployment, html, `/impersonations/${id}/continue`)
    expect(status).to.equal(303)
    expect(headers.get('location')).to.match(new RegExp(`^${deployment.shopUrl}/#impersonation=`))
    const token = /impersonation=([^&]+)/.exec(headers.get('location') ?? '')?.[1] ?? ''
    await deployment.exchange('olivia', { subjectToken: token })
    expect(await read(deployment), 'what was gone on with').to.not.include(label)
  })

  it('uses up none of the questions to the rule that the form may ask', async () => {
    for (const ticket of ['SUP-1', 'SUP-2', 'SUP-3']) {
      await (await deployment.impersonate({ ticket })).end()
    }
    for (let pages = 0; pages < 25; pages += 1) await read(deployment)
    const body = await deployment.read('olivia', '/act?user=bob&ticket=SUP-4')
    expect(body.verdict).to.equal('allowed')
  })

  it('offers the last of those that began for one ticket, and none if a lead ended that', async () => {
    for (let times = 0; times < 2; times += 1) {
      await (await deployment.impersonate({ ticket: 'SUP-77' })).end()
    }
    const offers = async () => (await read(deployment)).match(/>Continue for SUP-77</g)?.length
    expect(await offers(), 'two in one second').to.equal(1)
    await later(2000, async () => {
      const { id } = await deployment.impersonate({ ticket: 'SUP-77' })
      await deployment.provider.impersonation.end(id, { by: { sub: 'grace' } })
      await deployment.settled()
      expect(await offers()).to.equal(undefined)
    })
  })

  it('says what another person ended, with their name and note, and offers nothing then', async () => {
    const [first, second] = [
      await deployment.impersonate({ ticket: 'SUP-1' }),
      await deployment.impersonate({ ticket: 'SUP-2', customer: 'bob' }),
    ]
    const { impersonation } = deployment.provider
    await impersonation.end(first.id, { by: { sub: 'grace' }, reason: 'Call <first>' })
    await impersonation.end(second.id, { by: { sub: 'bob' }, cause: 'user' })
    await deployment.settled()
    const html = await read(deployment)
    expect(readText(html)).to.match(
      /You no longer act as Alice Ng: Grace \w+ ended it\. Call &lt;first>/,
    )
    expect(readText(html)).to.include(
      'You no longer act as Bob Marsh: Bob Marsh, the customer, ended it.',
    )
    expect(html).to.not.include('Continue')
    await later(2 * MINUTE, async () =>
      expect(await read(deployment)).to.not.include('You no longer'),
    )
  })

  it('leads from looking to changing: by a button, by the form where that needs an approval, or not at all', async () => {
    let verdict: false | true | { readonly needs: readonly ['user'] } = true
    await using ruled = await deploy({
      authorize: ({ scope }) => (scope?.includes('orders:write') ? verdict : true),
    })
    const { id } = await ruled.impersonate({ access: 'read', ticket: 'SUP-3' })
    const action = `/impersonations/${id}/continue`
    expect(formsOf(await read(ruled)).get(action)).to.include({ access: 'change' })
    verdict = { needs: ['user'] }
    const html = await read(ruled)
    expect(formsOf(html).has(action)).to.equal(false)
    expect(html).to.match(/href="\/console\/act\?user=alice&amp;ticket=SUP-3[^"]*access=change"/)
    verdict = false
    expect(await read(ruled)).to.not.include('with changes')
  })
})

describe('a form that opens an application', () => {
  const deployment = renewed(async () => {
    const deployed = await deploy()
    const { id } = await deployed.impersonate({ access: 'read' })
    const html = await read(deployed)
    return { ...deployed, html, action: `/impersonations/${id}/continue` }
  })
  const pressed = () => press(deployment, deployment.html, deployment.action)

  it('is good once: a second press says what the first one did', async () => {
    const answers = await Promise.all([pressed(), pressed(), pressed()])
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([303, 409, 409])
    const again = answers.find(({ status }) => status === 409)
    expect(again?.text).to.include('This was started already, in another tab.')
    const { items } = await deployment.provider.impersonation.list({ state: 'issued' })
    expect(items, 'one token for all presses').to.have.length(1)
  })

  it('is free again after a refusal, and after an outage', async () => {
    deployment.faults.directory = true
    expectStatus(await pressed(), 503)
    deployment.faults.directory = false
    expectStatus(await pressed(), 303)
  })

  it('opens a tab that cannot reach the console, and has no token in a query', async () => {
    const { html, action } = deployment
    expect(html).to.include(`action="/console${action}" target="_blank" rel="noopener"`)
    const { headers, text } = await pressed()
    expect(new URL(headers.get('location') ?? '').search).to.equal('')
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(text).to.equal('')
  })

  it('posts the token to an application that takes it so, and to no other address', async () => {
    const port = await freePort()
    const shop = {
      name: 'Shop',
      url: 'https://shop.example/in',
      handOver: 'form',
      clientId: 'shop',
      resource: `http://localhost:${port}/orders`,
      scopes: { read: 'orders:read' },
    } as const
    await using own = await deploy({ port, console: { applications: [shop] } })
    const { status, headers, text } = await own.send('olivia', '/impersonations', ACT)
    expect(status).to.equal(200)
    expect(text).to.match(
      /<form method="post" action="https:\/\/shop.example\/in" data-send.*name="impersonation" value="[\w-]{43}"/,
    )
    expect(headers.get('content-security-policy')).to.include('https://shop.example')
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(headers.get('location')).to.equal(null)
  })
})
