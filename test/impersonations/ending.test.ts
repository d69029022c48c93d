import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { recording } from '../support/audit.ts'
import { later } from '../support/clock.ts'
import { basic, deploy, idOf } from '../support/deployment.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { expectAnswer } from '../support/http.ts'
import { expectActive, only } from './recorded-endings.ts'

describe('I11: an end ends', () => {
  it('before the exchange: the subject token answers as an unknown one, and it is no replay', async () => {
    await using deployment = await recording()
    const subject_token = await deployment.subjectToken()
    const { id } = await only(deployment)
    await deployment.provider.impersonation.end(id, { by: { sub: 'lead' }, reason: 'mistake' })
    await deployment.expectWorthless(subject_token)
    const denied = (await deployment.recorded()).at(-1)
    expect([denied?.name, denied?.id]).to.deep.equal(['impersonation.denied', id])
    const object = await only(deployment)
    expect(object.state).to.equal('ended')
    expect(object.end).to.deep.include({
      by: { sub: 'lead' },
      cause: 'requested',
      reason: 'mistake',
    })
    expect(deployment.ended).to.have.length(1)
    expect(deployment.ended[0]).to.deep.include({
      id,
      userId: 'alice',
      requestedBy: 'backend',
      end: object.end,
    })
  })

  it('after the exchange: an opaque token is inactive at once, at introspection and everywhere', async () => {
    await using deployment = await recording()
    const { token } = await deployment.impersonate({ resource: `${deployment.base}/opaque` })
    await expectActive(deployment, token, true)
    await deployment.endAll()
    await expectActive(deployment, token, false)
    expect(await deployment.provider.AccessToken.find(token)).to.equal(undefined)
  })

  it('I5: an opaque token whose impersonation cannot be looked up is trouble, not active or inactive', async () => {
    const { adapter, faults } = faultyAdapter()
    await using deployment = await deploy({ adapter })
    const { token } = await deployment.impersonate({ resource: `${deployment.base}/opaque` })
    faults.add('SubjectToken.find')
    const headers = basic('web', 'web-secret')
    await expectAnswer(deployment.post('/oidc/token/introspection', { token }, headers), 500)
  })

  it('an opaque token whose impersonation the storage has forgotten is inactive', async () => {
    const adapter = createMemoryAdapter()
    await using deployment = await deploy({ adapter })
    const form = { resource: `${deployment.base}/opaque` }
    const { id, token } = await deployment.impersonate(form)
    await adapter('SubjectToken').destroy(id)
    await expectActive(deployment, token, false)
  })

  it('the first end stays, raises one event, and what has expired is not ended', async () => {
    await using deployment = await recording({ configuration: { ttl: { SubjectToken: 1 } } })
    const { impersonation } = deployment.provider
    const id = idOf(await deployment.subjectToken())
    const [first, second] = await Promise.all([
      impersonation.end(id, { reason: 'one' }),
      impersonation.end(id, { reason: 'two' }),
    ])
    expect(first).to.deep.equal(second)
    const third = await impersonation.end(id, { reason: 'three', cause: 'policy' })
    expect(third).to.deep.equal(first)
    await deployment.subjectToken({ userId: 'bob' })
    using _ = later(6000)
    const [bob] = (await impersonation.list({ userId: 'bob' })).items
    expect(bob?.state).to.equal('expired')
    expect((await impersonation.end(String(bob?.id)))?.state).to.equal('expired')
    expect(await impersonation.endAll({ requestedBy: 'backend' })).to.equal(0)
    expect(deployment.ended).to.have.length(1)
  })

  it('I14: an end that is asked for again reaches the storage again, raises no event and is not counted', async () => {
    const { adapter, calls } = faultyAdapter()
    await using deployment = await recording({ adapter })
    const { impersonation } = deployment.provider
    const id = idOf(await deployment.subjectToken())
    const first = await impersonation.end(id, { reason: 'one' })
    const asked = () => calls.filter((call) => call === 'SubjectToken.endOnce').length
    const before = asked()
    expect(await impersonation.end(id, { reason: 'two' })).to.deep.equal(first)
    expect(asked()).to.equal(before + 1)
    expect(await impersonation.endAll({ userId: 'alice' }, { reason: 'three' })).to.equal(0)
    expect(asked()).to.equal(before + 2)
    await wait(5)
    expect(deployment.ended.map((event) => event.end?.reason)).to.deep.equal(['one'])
  })
})
