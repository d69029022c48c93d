import { expect } from 'chai'
import type { Middleware } from 'koa'
import { ACT } from '../support/acting.ts'
import { later } from '../support/clock.ts'
import { deploy } from '../support/deployment.ts'
import { MACHINE } from '../support/provider.ts'

const HOUR = 3_600_000

describe('what the management API says', () => {
  /** A deployment whose management API answers something else, once for each. */
  async function answering(...answers: readonly Middleware[]) {
    const seen: string[] = []
    const left = [...answers]
    const deployment = await deploy({
      before: async (ctx, next) => {
        if (ctx.method === 'POST') seen.push(ctx.path)
        const answer = ctx.path === '/api/subject-tokens' ? left.shift() : undefined
        if (answer) return answer(ctx, next)
        return next()
      },
    })
    return { deployment, seen }
  }

  const answer =
    (status: number, body: object): Middleware =>
    (ctx) => {
      ctx.status = status
      ctx.body = body
    }

  it('one machine token serves many requests', async () => {
    const { deployment, seen } = await answering()
    await using _ = deployment
    await deployment.tokenOf('olivia')
    seen.length = 0
    await Promise.all([1, 2, 3].map(() => deployment.ask('olivia', '/impersonations', ACT)))
    await deployment.ask('olivia', '/impersonations', ACT)
    expect(seen.filter((path) => path === '/oidc/token')).to.have.length(1)
    await later(HOUR / 6, async () => {
      const { status } = await deployment.ask('olivia', '/impersonations', ACT)
      expect(status, 'with a new one, after ten minutes').to.equal(201)
    })
    expect(seen.filter((path) => path === '/oidc/token')).to.have.length(2)
  })

  it('a machine token that is refused is replaced once', async () => {
    const refused = answer(401, { error: 'invalid_token' })
    const { deployment, seen } = await answering(refused)
    await using _ = deployment
    expect((await deployment.ask('olivia', '/impersonations', ACT)).status).to.equal(201)
    expect(seen.filter((path) => path === '/api/subject-tokens')).to.have.length(2)
    const twice = await answering(refused, refused)
    await using __ = twice.deployment
    const { status, body } = await twice.deployment.ask('olivia', '/impersonations', ACT)
    expect({ status, error: body.error }).to.deep.equal({ status: 502, error: 'bad_gateway' })
  })

  it('what concerns the operator is passed on', async () => {
    for (const [status, error] of [
      [400, 'invalid_target'],
      [403, 'access_denied'],
      [404, 'user_not_found'],
      [429, 'temporarily_unavailable'],
      [503, 'temporarily_unavailable'],
    ] as const) {
      const { deployment } = await answering((ctx) => {
        ctx.set('Retry-After', '9')
        return answer(status, { error, error_description: 'as the provider says' })(
          ctx,
          async () => {},
        )
      })
      await using _ = deployment
      const told = await deployment.ask('olivia', '/impersonations', ACT)
      expect({ status: told.status, ...told.body }).to.deep.equal({
        status,
        error,
        error_description: 'as the provider says',
      })
      expect(told.headers.get('retry-after')).to.equal('9')
    }
  })

  it('what concerns the console is 502, and the log says what', async () => {
    for (const [status, body] of [
      [403, { error: 'insufficient_scope' }],
      [404, { error: 'invalid_request' }],
      [500, { error: 'server_error' }],
      [201, { subjectToken: 7 }],
      [302, {}],
    ] as const) {
      const { deployment } = await answering(answer(status, body))
      await using _ = deployment
      const told = await deployment.ask('olivia', '/impersonations', ACT)
      expect({ status: told.status, ...told.body }).to.deep.equal({
        status: 502,
        error: 'bad_gateway',
        error_description: 'the provider answered unexpectedly',
      })
      expect(deployment.log.join('\n')).to.contain(`the management API answered ${status}`)
    }
  })

  it('a wrong secret of the machine is 502, and the log names the option', async () => {
    const machine = { ...MACHINE, clientSecret: 'wrong' }
    await using deployment = await deploy({ console: { machine } })
    const { status, text } = await deployment.ask('olivia', '/impersonations', ACT)
    expect(status).to.equal(502)
    expect(text).not.to.contain('wrong')
    expect(deployment.log.join('\n')).to.contain('options.machine.clientId support-backend')
  })

  it('a provider that cannot be reached is 503', async () => {
    await using deployment = await deploy({ console: { providerUrl: 'http://127.0.0.1:9' } })
    const { status, body, headers } = await deployment.ask('olivia', '/impersonations', ACT)
    expect({ status, ...body }).to.deep.equal({
      status: 503,
      error: 'temporarily_unavailable',
      error_description: 'the provider cannot be reached',
    })
    expect(headers.get('retry-after')).to.equal('5')
  })
})
