import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { requirePerson, resourceServer } from '../../packages/resource-server/src/index.ts'
import type { AuthorizationRequest, ImpersonationOptions } from '../../src/index.ts'
import { recording } from '../support/audit.ts'
import { basic, type Deployment, deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { apiToken } from '../support/jwts.ts'
import { shared } from '../support/shared.ts'

/** The confidential client `web` is the software that acts. */
const web = basic('web', 'web-secret')
const software = { sub: 'web', client_id: 'web' }

const withSoftware = (more: Partial<ImpersonationOptions> = {}) => ({
  impersonation: { softwareActors: ['web'], ...more },
})

/** Exchanges a subject token, by `web`. */
async function exchange(deployment: Deployment, form: object, headers: object = web) {
  const answer = await deployment.exchange({ ...form }, { ...headers })
  return { ...answer, token: String(answer.body.access_token) }
}

describe('I16: software that acts is named', () => {
  let actor_token: string
  const asked: AuthorizationRequest[] = []

  const authorize = (request: AuthorizationRequest) => asked.push(request) > 0
  const getCustomJwtClaims = () => ({ act: { sub: 'mallory', client_id: 'mallory' } })
  const deployment = shared(() => deploy(withSoftware({ authorize, getCustomJwtClaims })))
  before(async () => {
    actor_token = await deployment.actorToken()
  })

  const objectOf = async (token: string) => {
    const id = String(decodeJwt(token).jti).replace('impersonation:', '')
    return deployment.provider.impersonation.get(id)
  }

  it('for a person: the client is the actor, and the person is the one before', async () => {
    const { token } = await exchange(deployment, { actor_token })
    expect(decodeJwt(token).act).to.deep.equal({ ...software, act: { sub: 'olivia' } })
    expect(await objectOf(token)).to.deep.include({
      actor: { sub: 'olivia' },
      software: 'web',
      client: 'web',
    })
    expect(asked.at(-1)).to.deep.include({ stage: 'exchange', software: 'web' })
    expect(asked.at(-1)?.actor).to.deep.equal({ sub: 'olivia' })
    expect(asked.at(-1)?.actorClient).to.equal('console')
  })

  it('on its own: the client is the only actor, and no person is named', async () => {
    const { token } = await exchange(deployment, {})
    expect(decodeJwt(token).act).to.deep.equal(software)
    const object = await objectOf(token)
    expect(object).to.include({ software: 'web' })
    expect(object).to.not.have.property('actor')
  })

  it('I3: its token is no actor token, on its own or for a person', async () => {
    for (const form of [{}, { actor_token }]) {
      const { token } = await exchange(deployment, { ...form, scope: 'openid orders:read' })
      const laundered = exchange(deployment, { actor_token: token }, {})
      await expectAnswer(laundered, 400, 'actor token is invalid')
    }
  })

  it('another client is not named: its tokens are as without the option', async () => {
    const { token } = await exchange(deployment, { actor_token }, {})
    expect(decodeJwt(token).act).to.deep.equal({ sub: 'olivia' })
    expect(await objectOf(token)).to.not.have.property('software')
  })

  it('a subject token that is bound to a person needs the person', async () => {
    const both = { sub: 'olivia', clientId: 'web' }
    const subject_token = await deployment.subjectToken({ mayAct: both })
    await expectAnswer(deployment.exchange({ subject_token }, web), 400, 'invalid_request')
    await expectAnswer(deployment.exchange({ subject_token, actor_token }), 400)
    await expectAnswer(deployment.exchange({ subject_token, actor_token }, web), 200)
    // The client's id is no person's, also where the binding names it.
    const toItself = await deployment.subjectToken({ mayAct: { sub: 'web' } })
    await expectAnswer(deployment.exchange({ subject_token: toItself }, web), 400)
  })

  it('who ends it is the person behind it', async () => {
    const { token } = await exchange(deployment, { actor_token })
    await expectAnswer(deployment.endCurrent(token), 204)
    expect((await objectOf(token))?.end).to.deep.include({
      by: { sub: 'olivia' },
      cause: 'requested',
    })
  })

  it('requirePerson() refuses software, for a person or on its own', async () => {
    const { issuer, orders: audience } = deployment
    const api = resourceServer({ issuer, audience })
    const tokenOf = async (form: object, headers?: object) =>
      (await exchange(deployment, form, headers)).token
    const software = '403 not while software acts for the user'
    for (const [token, judged] of [
      [await apiToken(deployment, 'alice'), 'passes'],
      [await tokenOf({ actor_token }, {}), 'passes'],
      [await tokenOf({ actor_token }), software],
      [await tokenOf({}), software],
      [await tokenOf({}, {}), '403 not by an unnamed actor'],
      [
        await deployment.m2mToken({ resource: audience, scope: 'orders:read' }),
        '403 not by a client itself',
      ],
    ] as const) {
      const verdict = await api.authenticate(`Bearer ${token}`, requirePerson()).then(
        () => 'passes',
        ({ status, message }) => `${status} ${message}`,
      )
      expect(verdict).to.equal(judged)
    }
  })
})

describe('software that acts, by option', () => {
  it('a function names it, and is asked of the client', async () => {
    const clients = async ({ clientId }: { clientId: string }) => clientId === 'web'
    await using deployment = await deploy(withSoftware({ softwareActors: clients }))
    expect(decodeJwt((await exchange(deployment, {})).token).act).to.deep.equal(software)
    expect(decodeJwt((await exchange(deployment, {}, {})).token)).to.not.have.property('act')
  })

  it('I9: where the function fails or answers no boolean, nothing is issued', async () => {
    let answer: unknown
    const softwareActors = () => {
      if (answer instanceof Error) throw answer
      return answer as boolean
    }
    await using deployment = await deploy(withSoftware({ softwareActors }))
    for (answer of [new Error('the register is away'), 'yes']) {
      await expectAnswer(exchange(deployment, {}), 500, 'server_error')
    }
  })

  it('a public client that is named is refused: its name would prove nothing', async () => {
    await using deployment = await deploy(withSoftware({ softwareActors: ['console', 'web'] }))
    const subject_token = await deployment.subjectToken()
    await expectAnswer(deployment.exchange({ subject_token }), 400, 'unauthorized_client')
    await expectAnswer(deployment.exchange({ subject_token }, web), 200)
  })

  it('without a person it acts only where no actor token is required', async () => {
    await using deployment = await deploy(withSoftware({ actorToken: { required: true } }))
    await expectAnswer(exchange(deployment, {}), 400, 'actor_token is required')
  })

  it('the events of an exchange name it, also where it is refused', async () => {
    await using deployment = await recording(withSoftware())
    await exchange(deployment, {})
    await exchange(deployment, { resource: 'https://elsewhere.example' })
    const events = (await deployment.recorded()).filter(({ client }) => client === 'web')
    expect(events.map(({ name, software: by }) => [name, by])).to.deep.equal([
      ['impersonation.started', 'web'],
      ['impersonation.denied', 'web'],
    ])
  })
})

describe('all of a client', () => {
  it('are listed, by pages, however many others run, and end: what it runs, and what only it may redeem, and nothing else', async () => {
    await using deployment = await deploy(withSoftware())
    const { impersonation } = deployment.provider
    await exchange(deployment, {})
    await exchange(deployment, {}, {})
    const bound = await deployment.subjectToken({ mayAct: { clientId: 'web' } })
    const free = await deployment.subjectToken()
    for (let each = 0; each < 4; each += 1) await exchange(deployment, {}, {})
    const states: string[] = []
    let cursor: string | undefined
    do {
      const { items, next } = await impersonation.list({ client: 'web', limit: 1, cursor })
      states.push(...items.map(({ state }) => state))
      cursor = next
    } while (cursor !== undefined)
    expect(states).to.have.members(['active', 'issued'])
    expect(await impersonation.endAll({ client: 'web', userId: 'carol' })).to.equal(0)
    expect(await impersonation.endAll({ client: 'web' })).to.equal(2)
    await expectAnswer(deployment.exchange({ subject_token: bound }, web), 400)
    await deployment.redeem(free)
    const active = await impersonation.list({ state: 'active' })
    expect(active.items.map(({ client }) => client)).to.deep.equal(Array(6).fill('console'))
  })
})
