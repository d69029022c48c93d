import { expect } from 'chai'
import { ClientNotNamed, errors, NotRecorded, TooManyRequests } from 'oidc-provider-impersonation'
import { issuingBy } from '../../../src/web/acting/issue.ts'
import { ACT } from '../../support/acting.ts'
import { deploy } from '../../support/deployment.ts'
import { expectProblem, expectStatus } from '../../support/expect-answer.ts'

describe('how the console issues', () => {
  it('in the process: no request to the token endpoint, none to the management API', async () => {
    const seen: string[] = []
    await using deployment = await deploy({
      before: async (ctx, next) => {
        if (ctx.method === 'POST') seen.push(ctx.path)
        await next()
      },
    })
    await deployment.tokenOf('olivia')
    seen.length = 0
    expectStatus(await deployment.ask('olivia', '/impersonations', ACT), 201)
    expect(seen).to.deep.equal(['/console/impersonations'])
  })

  it("the policy and listeners see the operator's request, and its answer stays the console's", async () => {
    await using deployment = await deploy()
    const seen = Promise.withResolvers<string>()
    deployment.provider.on('impersonation.issued', (ctx) =>
      seen.resolve(`${ctx.method} ${ctx.path}`),
    )
    const { status, body, headers } = await deployment.ask('olivia', '/impersonations', ACT)
    expect([status, Object.keys(body)]).to.deep.equal([
      201,
      ['id', 'subjectToken', 'expiresIn', 'url', 'handOver', 'name'],
    ])
    expect(headers.get('location')).to.equal(null)
    expect(await seen.promise).to.equal('POST /console/impersonations')
  })

  it('what concerns the operator is passed on', async () => {
    for (const [error, expected] of [
      [
        Object.assign(new errors.AccessDenied('as told'), { statusCode: 403 }),
        [403, 'access_denied'],
      ],
      [new errors.InvalidRequest('as told'), [400, 'invalid_request']],
      [new TooManyRequests(9), [429, 'temporarily_unavailable', 9]],
      [new NotRecorded({}), [503, 'temporarily_unavailable']],
    ] as const) {
      const impersonation = { issue: () => Promise.reject(error) }
      const { issue } = issuingBy({ impersonation } as never, 'backend')
      const problem = await issue({ userId: 'alice' }, {} as never).catch((thrown) => thrown)
      const { statusCode, error: code, retryAfter } = problem
      expect([statusCode, code, retryAfter].filter((one) => one !== undefined)).to.deep.equal(
        expected,
      )
      expect(problem.message).to.equal(error.error_description)
    }
    expect(new ClientNotNamed().error).to.equal('unauthorized_client')
  })

  it('a client that may not issue is 500, and the log names the option', async () => {
    for (const issueAs of ['shop', 'nobody']) {
      await using deployment = await deploy({ console: { issueAs } })
      expectProblem(await deployment.ask('olivia', '/impersonations', ACT), 500, 'server_error')
      expect(deployment.log.join('\n')).to.contain(
        `options.issueAs ${issueAs}: the client must exist`,
      )
    }
  })
})
