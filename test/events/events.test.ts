import { setImmediate as turn } from 'node:timers/promises'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { withMembers } from '../adapters/with-members.ts'
import { EVENT_NAMES, recording } from '../support/audit.ts'
import { idOf } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { warnings } from '../support/warnings.ts'

describe('audit events', () => {
  it('one for each thing that happened, with one id for the whole life of the token', async () => {
    await using deployment = await recording()
    const actor_token = await deployment.actorToken()
    const context = { ticketId: 'SUP-1' }
    const subject_token = await deployment.subjectToken({
      context,
      resource: deployment.orders,
      scope: 'orders:read',
      mayAct: { sub: 'olivia' },
    })
    await deployment.exchange({ subject_token })
    const { body } = await deployment.exchange({ subject_token, actor_token })
    await deployment.exchange({ subject_token, actor_token })
    const [first, second, third, fourth, ...others] = await deployment.recorded()
    expect(others).to.deep.equal([])

    const { jti, exp = 0 } = decodeJwt(body.access_token)
    const id = idOf(subject_token)
    const common = { id, userId: 'alice', requestedBy: 'backend', context }
    expect(first).to.deep.include({
      ...common,
      name: 'impersonation.issued',
      actor: { sub: 'olivia' },
      resource: [deployment.orders],
      scope: 'orders:read',
    })
    expect(Math.abs((first?.expiresAt ?? 0) - Date.now() / 1000 - 600)).to.be.lessThan(10)
    expect(second).to.deep.include({ ...common, name: 'impersonation.denied', client: 'console' })
    expect(second?.denial).to.deep.equal({
      stage: 'exchange',
      error: 'invalid_request',
      reason: 'subject token is invalid: bound to an operator, and none acts',
    })
    expect(third).to.deep.include({
      ...common,
      name: 'impersonation.started',
      client: 'console',
      actor: { sub: 'olivia' },
      resource: deployment.orders,
      scope: 'orders:read',
      jti,
    })
    expect(Math.abs((third?.expiresAt ?? 0) - exp)).to.be.lessThan(3)
    expect(fourth).to.deep.include({ ...common, name: 'impersonation.replayed', client: 'console' })
    expect(fourth?.redemption?.jti).to.equal(jti)
    expect(fourth?.redemption?.at).to.be.a('number')
    for (const { timeMs } of await deployment.recorded()) {
      expect(Math.abs(Date.now() - timeMs)).to.be.lessThan(10_000)
    }
  })

  it("come with the request's context, which has what oidc-provider's own events have", async () => {
    await using deployment = await recording()
    const seen: unknown[] = []
    for (const name of ['impersonation.issued', 'impersonation.started'] as const) {
      deployment.provider.on(name, ({ oidc }) => {
        const url = oidc.urlFor('resume', { mountPath: '/oidc', uid: 'x' })
        seen.push([...Object.keys(oidc.entities).sort(), typeof oidc.params, url])
      })
    }
    await deployment.exchange()
    await deployment.recorded()
    const both = ['Account', 'Client', 'SubjectToken', 'object', `${deployment.issuer}/auth/x`]
    expect(seen).to.deep.equal([both, ['AccessToken', ...both]])
  })

  it('refusals at issue: who asked, for whom, what they were told and why', async () => {
    await using deployment = await recording({ impersonation: { authorize: () => false } })
    await deployment.issue({ userId: 'nobody' })
    await deployment.issue()
    await deployment.issueBy('wrong')
    const denials = (await deployment.recorded()).map(({ name, requestedBy, userId, denial }) => [
      ...[name, requestedBy, userId, denial?.stage, denial?.error],
    ])
    const denied = 'impersonation.denied'
    expect(denials).to.deep.equal([
      [denied, 'backend', 'nobody', 'issue', 'user_not_found'],
      [denied, 'backend', 'alice', 'issue', 'access_denied'],
      [denied, undefined, undefined, 'issue', 'invalid_token'],
    ])
  })

  it("listeners that throw, reject or never end change nothing for the client or each other, also of the provider's own events: a warning says so", async () => {
    await using deployment = await recording()
    using warned = warnings()
    for (const name of EVENT_NAMES) {
      deployment.provider.prependListener(name, () => {
        throw new Error('thrown')
      })
      deployment.provider.prependListener(name, async () => {
        throw new Error('rejected')
      })
      deployment.provider.prependListener(name, () => new Promise(() => {}))
    }
    const own = ['subject_token.saved', 'subject_token.consumed', 'access_token.issued']
    for (const name of [...own, 'access_token.saved']) {
      deployment.provider.on(name as 'access_token.issued', () => {
        throw new Error('thrown')
      })
    }
    for (const resource of [deployment.orders, `${deployment.base}/opaque`]) {
      const subject_token = await deployment.subjectToken()
      const { body } = await expectAnswer(deployment.exchange({ subject_token, resource }), 200)
      expect(body.access_token).to.be.a('string')
      await expectAnswer(deployment.exchange({ subject_token, resource }), 400)
    }
    const names = (await deployment.recorded()).map(({ name }) =>
      name.slice('impersonation.'.length),
    )
    const each = ['issued', 'started', 'replayed']
    expect(names).to.deep.equal([...each, ...each])
    await turn()
    const told = warned.told.map(({ message }) => message)
    const failures = (kind: string) => told.filter((each) => each.endsWith(kind)).length
    expect([failures(': rejected'), told.length > 12]).to.deep.equal([6, true])
    for (const name of [...own, 'access_token.saved']) {
      expect(told).to.include(`a listener for ${name} failed: thrown`)
    }
    deployment.expectNoErrors()
  })

  it('I6: no token value in any event, whoever put it into an error', async () => {
    const memory = createMemoryAdapter()
    const find = (id: string) => Promise.reject(new Error(`no connection for AccessToken:${id}`))
    const talkative = (model: string) =>
      model === 'AccessToken' ? withMembers(memory(model), { find }) : memory(model)
    await using deployment = await recording({ adapter: talkative })
    const m2m = await deployment.m2mToken()
    const { body } = await deployment.issueBy(m2m)
    const subject_token = body.subjectToken
    const actor_token = await deployment.actorToken()
    await deployment.exchange({ subject_token, actor_token })
    const granted = await deployment.exchange({
      subject_token,
      resource: `${deployment.base}/opaque`,
    })
    await deployment.exchange({ subject_token })
    const text = inspect(await deployment.recorded(), { depth: 9, showHidden: true })
    expect(text).to.include('[concealed]')
    for (const value of [m2m, subject_token, actor_token, granted.body.access_token]) {
      expect(value).to.be.a('string')
      expect(text).to.not.include(value)
    }
  })
})
