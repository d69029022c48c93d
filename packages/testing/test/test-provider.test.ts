import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { renewed } from '../../../test/support/shared.ts'
import {
  denyImpersonation,
  type Requirement,
  requireScope,
  resourceServer,
} from '../../resource-server/src/index.ts'
import { startTestProvider } from '../src/index.ts'

const RESOURCE = 'https://api.example.com'
const request = { userId: 'alice', actor: 'olivia', resource: RESOURCE, scope: 'orders:read' }

const SOURCES = ['--conditions=oidc-provider-impersonation']

describe('oidc-provider-impersonation-testing', () => {
  let ask: (token: string, ...requirements: Requirement[]) => Promise<unknown>

  const provider = renewed(startTestProvider)
  beforeEach(async () => {
    const api = resourceServer({ issuer: provider.issuer, audience: RESOURCE })
    ask = async (token, ...requirements) => {
      const headers = { authorization: `Bearer ${token}` }
      return api.authenticate(new Request(RESOURCE, { headers }), ...requirements).then(
        ({ userId, actor, isImpersonated }) => ({ userId, actor: actor?.sub, isImpersonated }),
        (error: { status: number }) => error.status,
      )
    }
  })

  it('refuses an option that it does not know, and a life out of bounds', async () => {
    const mistyped = { authorise: () => false }
    const started = await Reflect.apply(startTestProvider, undefined, [mistyped]).catch(String)
    expect(started).to.include('options.authorise is not known: leave it out')
    for (const expiresIn of [0, 3601, 1.5]) {
      const refused = await provider.issueTestToken({ ...request, expiresIn }).catch(String)
      expect(refused).to.equal('TypeError: expiresIn must be an integer from 1 to 3600')
    }
  })

  it('issues an impersonation that a guard accepts, and a token of the user in person', async () => {
    const { accessToken } = await provider.issueTestImpersonation(request)
    const caller = { userId: 'alice', actor: 'olivia', isImpersonated: true }
    expect(await ask(accessToken, requireScope('orders:read'))).to.deep.equal(caller)
    expect(await ask(accessToken, requireScope('orders:write'))).to.equal(403)
    expect(await ask(accessToken, denyImpersonation())).to.equal(403)

    const { actor: _, ...nameless } = request
    const { accessToken: unnamed } = await provider.issueTestImpersonation(nameless)
    expect(await ask(unnamed)).to.deep.equal({ ...caller, actor: undefined })

    const own = await provider.issueTestToken(request)
    const inPerson = { userId: 'alice', actor: undefined, isImpersonated: false }
    expect(await ask(own, requireScope('orders:read'), denyImpersonation())).to.deep.equal(inPerson)
  })

  it('lets each token have its own scope and life, however many are asked for at once', async () => {
    const scopes = ['a:read', 'b:read', 'c:read', '']
    const started = await Promise.all(
      scopes.map((scope, index) =>
        provider.issueTestImpersonation({ ...request, scope, expiresIn: 60 * (index + 1) }),
      ),
    )
    for (const [index, { accessToken }] of started.entries()) {
      const { scope = '', iat, exp } = decodeJwt(accessToken)
      expect([scope, Number(exp) - Number(iat)]).to.deep.equal([scopes[index], 60 * (index + 1)])
    }
  })

  it('ends one: the guard refuses it once the clock has moved by what docs/ending.md promises', async () => {
    const { accessToken, id, end } = await provider.issueTestImpersonation(request)
    const other = await provider.issueTestImpersonation({ ...request, expiresIn: 60 })
    expect(await ask(accessToken)).to.be.an('object')
    const ended = await end({ by: { sub: 'alice' }, cause: 'user' })
    expect(ended).to.deep.include({ id, state: 'ended' })
    provider.advance(8)
    expect(await ask(accessToken)).to.equal(401)
    expect(await ask(other.accessToken)).to.be.an('object')
    // The other one expires without a wait.
    provider.advance(58)
    expect(await ask(other.accessToken)).to.equal(401)
    const later = await provider.issueTestImpersonation(request)
    expect(await ask(later.accessToken)).to.be.an('object')
  })

  it('leaves the clock as it was once all that moved it are closed', async () => {
    const other = await startTestProvider()
    const before = Date.now()
    provider.advance(1000)
    other.advance(500)
    expect(Date.now() - before).to.be.within(1_500_000, 1_510_000)
    expect(new Date().getFullYear()).to.be.within(2026, 2126)
    expect(Date.now() - Date.parse(new Date().toISOString())).to.be.within(0, 10_000)
    expect(new Date(0).getTime()).to.equal(0)
    expect(new Date()).to.be.instanceOf(Date)
    await provider.close()
    expect(Date.now() - before).to.be.within(500_000, 510_000)
    expect(() => other.advance(-1)).to.throw(TypeError, 'seconds')
    await other.close()
    expect(() => other.advance(1000)).to.throw('advance() was called after close()')
    expect(Date.now() - before).to.be.within(0, 10_000)
  })

  it('hands the context to getCustomJwtClaims, as a deployment does', async () => {
    await using own = await startTestProvider({
      getCustomJwtClaims: ({ context }) =>
        'subjectTokenContext' in context.grant
          ? { ticket: context.grant.subjectTokenContext.ticketId }
          : {},
    })
    const context = { ticketId: 'SUP-1' }
    const { accessToken } = await own.issueTestImpersonation({ ...request, context })
    expect(atob(accessToken.split('.')[1] ?? '')).to.include('"ticket":"SUP-1"')
  })

  it('signs as oidc-provider does by default, or as the test says: tokens, and the lists of their status', async () => {
    for (const [signingAlgorithm, expected] of [
      [undefined, 'RS256'],
      ['ES256', 'ES256'],
      ['EdDSA', 'EdDSA'],
    ] as const) {
      await using own = await startTestProvider({ signingAlgorithm })
      const { accessToken } = await own.issueTestImpersonation(request)
      const { status }: { status: { status_list: { uri: string } } } = JSON.parse(
        JSON.stringify(decodeJwt(accessToken)),
      )
      const list = await (await fetch(status.status_list.uri)).text()
      const tokens = [accessToken, await own.issueTestToken(request), list]
      const algorithms = tokens.map((token) => decodeProtectedHeader(token).alg)
      expect(algorithms).to.deep.equal([expected, expected, expected])
    }
  })

  it('asks authorize, as a deployment does, when it issues and when it exchanges', async () => {
    const stages: string[] = []
    await using own = await startTestProvider({
      authorize({ stage, account, actor }) {
        stages.push(`${stage} ${actor?.sub ?? 'nobody'}`)
        return account.accountId === 'alice' && { scope: 'orders:read' }
      },
    })
    const scope = 'orders:read orders:write'
    const { accessToken } = await own.issueTestImpersonation({ ...request, scope })
    expect(decodeJwt(accessToken).scope).to.equal('orders:read')
    expect(stages).to.deep.equal(['issue nobody', 'exchange olivia'])
    const refused = await own.issueTestImpersonation({ ...request, userId: 'root' }).catch(String)
    expect(refused).to.include('access_denied')
  })

  it('does not run in production, says nothing on the console in a test, and says elsewhere that it is for tests', async () => {
    const module = new URL('../src/index.ts', import.meta.url)
    const code = `const { startTestProvider } = await import('${module}'); await (await startTestProvider()).close()`
    const start = async (env: Record<string, string>) => {
      const { PATH = '' } = process.env
      const run = promisify(execFile)(
        process.execPath,
        [...SOURCES, '--input-type=module', '--eval', code],
        { env: { PATH, ...env } },
      )
      const { stdout, stderr } = await run.catch(
        (error: { stdout: string; stderr: string }) => error,
      )
      return stdout + stderr
    }
    const refusal = 'oidc-provider-impersonation-testing does not run in production'
    expect(await start({ NODE_ENV: 'production' })).to.include(refusal)
    expect(await start({ NODE_TEST_CONTEXT: 'child-v8' })).to.equal('')
    expect(await start({})).to.include('startTestProvider() runs outside a test')

    const { NODE_ENV } = process.env
    try {
      for (const value of ['production', 'Production', 'PRODUCTION', 'prod', ' prod ']) {
        process.env.NODE_ENV = value
        expect(await startTestProvider().catch(String)).to.include(refusal)
      }
    } finally {
      if (NODE_ENV === undefined) delete process.env.NODE_ENV
      else process.env.NODE_ENV = NODE_ENV
    }
  })
})
