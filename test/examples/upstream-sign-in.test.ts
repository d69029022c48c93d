import { createServer } from 'node:http'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import Koa from 'koa'
import mount from 'koa-mount'
import PlainProvider from 'oidc-provider'
import { allowInsecureRequests, discovery } from 'openid-client'
import { upstreamSignIn } from '../../examples/upstream-sign-in.ts'
import type { Provider } from '../../src/index.ts'
import { expectAnswer } from '../support/http.ts'
import { exchange, providerAt } from '../support/serving.ts'
import { signIn } from '../support/sign-in.ts'
import { listening } from '../support/token-issuer.ts'

/** The people of the company's directory, and their accounts here. */
const ACCOUNTS = new Map([['olivia@corp.example', 'olivia']])

describe('examples/upstream-sign-in.ts', () => {
  let provider: Provider
  let issuer: string

  before(async () => {
    const [here, there] = [createServer(), createServer()]
    const [base, upstream] = await Promise.all([here, there].map((server) => listening(server)))
    issuer = `${base}/oidc`
    const directory = new PlainProvider(String(upstream), {
      clients: [
        {
          client_id: 'provider',
          client_secret: 'secret',
          redirect_uris: [`${base}/sign-in/callback`],
        },
      ],
      claims: { openid: ['sub'], email: ['email'] },
      findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, email: sub }) }),
    })
    there.on('request', directory.callback())

    const own = {
      interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/sign-in/${uid}` },
    }
    provider = providerAt(issuer, own, {
      applications: ['console'],
      actorToken: { required: true },
    })
    const app = new Koa()
    if (provider.keys) app.keys = provider.keys
    app.silent = true
    const metadata = new URL(String(upstream))
    const execute = { execute: [allowInsecureRequests] }
    const found = await discovery(metadata, 'provider', 'secret', undefined, execute)
    const accountOf = async ({ sub }: { sub: string }) => ACCOUNTS.get(sub)
    app.use(upstreamSignIn(provider, { configuration: found, accountOf }))
    here.on('request', app.use(mount('/oidc', provider)).callback())
  })

  it('names in act the account of the person who signed in at the upstream', async () => {
    const operator = await signIn(provider, 'olivia@corp.example')
    const { subjectToken } = await provider.impersonation.issue(
      { userId: 'alice', mayAct: { sub: 'olivia' } },
      { as: 'backend' },
    )
    const { body } = await exchange(issuer, subjectToken, {}, operator.access_token)
    expect(decodeJwt(body.access_token)).to.deep.include({ sub: 'alice', act: { sub: 'olivia' } })
  })

  it('refuses a person who has no account here', async () => {
    const refusal = await signIn(provider, 'mallory@corp.example').catch(String)
    expect(refusal).to.match(/the sign-in was refused: .*access_denied/)
  })

  it('takes no answer of the upstream in a browser that did not begin the sign-in', async () => {
    const query = new URLSearchParams({
      client_id: 'console',
      response_type: 'code',
      redirect_uri: 'https://console.example.com/callback',
      scope: 'openid',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    })
    const began = await fetch(`${issuer}/auth?${query}`, { redirect: 'manual' })
    const page = new URL(began.headers.get('location') ?? '', issuer)
    const callback = `${page.href}/callback?code=x&state=${page.pathname.slice(9)}`
    await expectAnswer(fetch(callback, { redirect: 'manual' }), 400)
  })
})
