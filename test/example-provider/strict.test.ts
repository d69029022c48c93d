import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { authorizationUrl } from '../../example-provider/demo/commands.ts'
import { Cookies } from './cookies.ts'
import {
  type Answer,
  basic,
  type Example,
  exchange,
  issueDirectly,
  postForm,
  postJson,
  signIn,
  start,
} from './support.ts'

const CONTEXT = { reason: 'Order lost', ticketId: 'SUP-1' }
/** RFC 7636, appendix B: the one that the printed sign-in address has. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

describe('example provider: STRICT=1', () => {
  let example: Example
  let olivia: string

  before(async () => {
    example = await start({ STRICT: '1' })
    olivia = await signIn(example.url)
  })
  after(() => example.close())

  const bindingTo = (sub: string) => ({
    mayAct: { sub },
    resource: `${example.url}/orders`,
    scope: 'orders:read',
  })

  async function direct(): Promise<unknown> {
    const request = { userId: 'alice', context: CONTEXT, ...bindingTo('olivia') }
    const { status, body } = await issueDirectly(example.url, request)
    expect(status).to.equal(201)
    return body.subjectToken
  }

  function expectRefusal({ status, body }: Answer, description: string): void {
    expect([status, body]).to.deep.equal([
      400,
      { error: 'invalid_request', error_description: description },
    ])
  }

  it('goes the whole way for the operator who asked', async () => {
    const { body } = await postJson(
      `${example.url}/support/impersonations`,
      { userId: 'alice', ...CONTEXT },
      olivia,
    )
    const exchanged = await exchange(example.url, body.subjectToken, olivia)
    expect(exchanged.status).to.equal(200)
    expect(decodeJwt(String(exchanged.body.access_token)).act).to.deep.equal({ sub: 'olivia' })
  })

  it('wants every token bound to an operator, to a resource and to scopes', async () => {
    for (const name of ['mayAct', 'resource', 'scope']) {
      const request = { userId: 'alice', context: CONTEXT, ...bindingTo('olivia') }
      const { status, body } = await issueDirectly(example.url, { ...request, [name]: undefined })
      const expected = [400, 'invalid_request', `${name} is required`]
      expect([status, body.error, body.error_description]).to.deep.equal(expected)
    }
  })

  for (const who of ['bob', 'ada', 'stranger']) {
    it(`lets ${who}, who is not support staff, be the operator of no token`, async () => {
      const request = { userId: 'alice', context: CONTEXT, ...bindingTo(who) }
      const { status, body } = await issueDirectly(example.url, request)
      expect([status, body.error]).to.deep.equal([403, 'access_denied'])
    })
  }

  it('asks who acts at the exchange, too: a token that is bound to a client alone', async () => {
    const mayAct = { clientId: 'support-tool' }
    const request = { userId: 'alice', context: CONTEXT, ...bindingTo('olivia'), mayAct }
    const { status, body } = await issueDirectly(example.url, request)
    expect([status, body.error]).to.deep.equal([403, 'access_denied'])
  })

  it('wants the operator to act, not only to be named', async () => {
    const token = await direct()
    expectRefusal(await exchange(example.url, token), 'actor_token is required')
    expect((await exchange(example.url, token, olivia)).status).to.equal(200)
  })

  it('wants the actor token to come from the client that exchanges', async () => {
    const token = await direct()
    const type = 'urn:ietf:params:oauth:token-type:access_token'
    const fields = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: String(token),
      subject_token_type: type,
      actor_token: olivia,
      actor_token_type: type,
      resource: `${example.url}/orders`,
      scope: 'orders:read',
    }
    const web = basic('support-web', 'support-web-secret')
    expectRefusal(
      await postForm(`${example.url}/oidc/token`, fields, web),
      'actor token is invalid',
    )
    expect((await exchange(example.url, token, olivia)).status).to.equal(200)
  })

  it('wants a sign-in of the last hour, whatever the age of the token', async () => {
    const cookies = new Cookies()
    const follow = async (answer: Answer): Promise<string> =>
      new URL(answer.headers.get('location') ?? '', example.url).href
    const tokenOf = async (callback: string): Promise<string> => {
      const { body } = await postForm(`${example.url}/oidc/token`, {
        grant_type: 'authorization_code',
        client_id: 'support-tool',
        redirect_uri: `${example.url}/support/callback`,
        code: new URL(callback).searchParams.get('code') ?? '',
        code_verifier: VERIFIER,
      })
      return String(body.access_token)
    }
    const page = await follow(await cookies.send(authorizationUrl(example.url)))
    const resume = await cookies.submit(page, { login: 'olivia', password: 'demo-password' })
    const first = await tokenOf(await follow(await cookies.send(await follow(resume))))
    expect((await exchange(example.url, await direct(), first)).status).to.equal(200)

    const real = Date.now
    Date.now = () => real() + 3_700_000
    try {
      // The session is still valid for a new token, but not for acting as another customer.
      const silent = await cookies.send(`${authorizationUrl(example.url)}&prompt=none`)
      const second = await tokenOf(await follow(silent))
      const token = await direct()
      expectRefusal(await exchange(example.url, token, second), 'actor token is invalid')
      const fresh = await signIn(example.url)
      expect((await exchange(example.url, token, fresh)).status).to.equal(200)
    } finally {
      Date.now = real
    }
  })

  const REQUIRED = 'a text that is not empty is required'
  const incomplete: [context: object | undefined, fields: string[]][] = [
    [undefined, ['reason', 'ticketId']],
    [{}, ['reason', 'ticketId']],
    [{ reason: 'Order lost' }, ['ticketId']],
    [{ ticketId: 'SUP-1' }, ['reason']],
    [{ ...CONTEXT, reason: ' ' }, ['reason']],
    [{ ...CONTEXT, ticketId: 7 }, ['ticketId']],
    [{ ...CONTEXT, ticketId: ['SUP-1'] }, ['ticketId']],
  ]
  for (const [context, fields] of incomplete) {
    it(`refuses the context ${JSON.stringify(context)}, naming ${fields.join(' and ')}`, async () => {
      const { status, body } = await issueDirectly(example.url, {
        userId: 'alice',
        ...bindingTo('olivia'),
        ...(context ? { context } : {}),
      })
      expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
      expect(body.error_description).to.equal(
        fields.map((field) => `context.${field}: ${REQUIRED}`).join('; '),
      )
    })
  }

  it('protects grace all the same', async () => {
    const { status } = await issueDirectly(example.url, {
      userId: 'grace',
      context: CONTEXT,
      ...bindingTo('olivia'),
    })
    expect(status).to.equal(403)
  })
})
