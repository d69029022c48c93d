import { expect } from 'chai'
import type { Configuration, InteractionResults } from 'oidc-provider'
import type { ImpersonationOptions } from '../../src/index.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { type SignedIn, signIn } from '../support/sign-in.ts'

describe('features.impersonation.applications', () => {
  for (const [how, applications] of [
    ['named', ['console']],
    ['named by a function', ({ clientId }: { clientId: string }) => clientId === 'console'],
  ] as const) {
    it(`gives operators openid, and no scope of an API, at an application that is ${how}, without a consent page`, async () => {
      await using site = await serve({ applications })
      const signedIn = await signIn(site, 'olivia')
      expect(site.consents()).to.equal(0)
      expect(await silently(site, signedIn)).to.have.property('code')
      const api = { scope: 'openid orders:read', resource: `${site.base}/orders` }
      for (const asked of [{ client_id: 'plain' }, api]) {
        const { error } = await silently(site, signedIn, asked)
        expect(error).to.equal('consent_required')
      }
    })
  }

  it('does not loop on a consent page that makes a new grant of what it is asked for alone', async () => {
    await using site = await serve({ applications: ['console'] })
    const resource = `${site.base}/orders`
    const asked = { scope: 'openid orders:read', resource }
    const { access_token, id_token } = await signIn(site, 'olivia', asked)
    expect([access_token, id_token]).to.not.include(undefined)
    expect(site.consents()).to.equal(1)
  })

  it("asks the deployment's own loadExistingGrant first, and adds to its answer", async () => {
    let calls = 0
    await using site = await serve({
      applications: ['console'],
      loadExistingGrant: async ({ oidc: { client, provider, session } }) => {
        calls += 1
        const grant = new provider.Grant({
          clientId: client?.clientId,
          accountId: session?.accountId,
        })
        // The resource of the test has openid among its own scopes.
        grant.addResourceScope(`${site.base}/orders`, 'openid orders:read')
        await grant.save()
        return grant
      },
    })
    const resource = `${site.base}/orders`
    const asked = { scope: 'openid orders:read', resource }
    const { access_token } = await signIn(site, 'olivia', asked)
    expect([typeof access_token, site.consents(), calls > 0]).to.deep.equal(['string', 0, true])
  })

  it('leaves a configuration that names none as it was', async () => {
    await using site = await serve({})
    const signedIn = await signIn(site, 'olivia')
    expect(site.consents()).to.equal(1)
    expect(await silently(site, signedIn)).to.have.property('code')
    expect(await silently(site, signedIn, { client_id: 'plain' })).to.have.property(
      'error',
      'consent_required',
    )
  })
})

/** Returns the answer of the provider to `prompt=none`. */
async function silently(
  { issuer }: Deployment,
  { cookie }: SignedIn,
  parameters: Record<string, string> = {},
): Promise<Record<string, string>> {
  const question = new URLSearchParams({
    client_id: 'console',
    response_type: 'code',
    redirect_uri: 'https://console.example.com/callback',
    scope: 'openid',
    prompt: 'none',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
    ...parameters,
  })
  const headers = { cookie }
  const { headers: answer } = await fetch(`${issuer}/auth?${question}`, {
    headers,
    redirect: 'manual',
  })
  return Object.fromEntries(new URL(answer.get('location') ?? issuer).searchParams)
}

/** A deployment whose consent page makes a new grant each time, of what it is asked for. */
async function serve({
  applications,
  loadExistingGrant,
}: Pick<ImpersonationOptions, 'applications'> & Pick<Configuration, 'loadExistingGrant'>) {
  let consents = 0
  const deployment: Deployment = await deploy({
    impersonation: { applications },
    configuration: { loadExistingGrant },
    async middleware(ctx, next) {
      if (!ctx.path.startsWith('/interaction/')) return next()
      const { provider } = deployment
      const { params, prompt, session } = await provider.interactionDetails(ctx.req, ctx.res)
      ctx.respond = false
      const finish = (result: InteractionResults) =>
        provider.interactionFinished(ctx.req, ctx.res, result)
      if (prompt.name === 'login') {
        return finish({ login: { accountId: String(params.login_hint) } })
      }
      consents += 1
      const { missingOIDCScope, missingResourceScopes } = prompt.details
      const grant = new provider.Grant({
        accountId: session?.accountId,
        clientId: String(params.client_id),
      })
      if (Array.isArray(missingOIDCScope)) grant.addOIDCScope(missingOIDCScope.join(' '))
      for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
        grant.addResourceScope(resource, scopes.join(' '))
      }
      return finish({ consent: { grantId: await grant.save() } })
    },
  })
  return { ...deployment, consents: () => consents }
}
