import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { type Configuration, Provider } from 'oidc-provider'
import { type GetCustomJwtClaims, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { deploy } from '../support/deployment.ts'
import type { Answer } from '../support/http.ts'
import { configuration, serving, token } from '../support/serving.ts'
import { shared } from '../support/shared.ts'
import { signIn } from '../support/sign-in.ts'
import { snippetsOf } from './documents.ts'

const AT_ONCE = 20

describe('docs/migrating.md', () => {
  const snippets = shared(() => snippetsOf('migrating.md'))

  it('the hook from Logto leads to a token that names operator and ticket', async () => {
    const { getCustomJwtClaims } = await snippets.load('From Logto')
    await using deployment = await deploy({
      impersonation: { getCustomJwtClaims: getCustomJwtClaims as GetCustomJwtClaims },
    })
    const { body } = await deployment.issue({
      userId: 'alice',
      mayAct: { sub: 'olivia' },
      context: { ticketId: 'SUP-1', reason: 'lost parcel', supportEngineerId: 'olivia' },
    })
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const exchanged = await deployment.exchange({ subject_token: body.subjectToken, actor_token })
    const accessToken: string = exchanged.body.access_token
    expect(decodeJwt(accessToken)).to.deep.include({
      sub: 'alice',
      act: { sub: 'olivia' },
      impersonation_context: {
        ticket_id: 'SUP-1',
        reason: 'lost parcel',
        support_engineer: 'olivia',
      },
    })
  })

  it('the rule from Keycloak: those who had the role act, for everyone else than themselves', async () => {
    const { authorize } = await snippets.load('From Keycloak')
    const asks = (actor: string | undefined, accountId: string) =>
      Object(authorize)({ account: { accountId }, actor: actor && { sub: actor } })
    expect(asks('olivia', 'alice')).to.equal(true)
    expect(asks('mallory', 'alice')).to.equal(false)
    expect(asks('olivia', 'henry')).to.equal(false)
    expect(asks(undefined, 'alice')).to.equal(false)
  })

  it('the grant made by hand: as many tokens as requests, and the operator whom the client names', async () => {
    const { registerByHand, actByHand } = await snippets.load('From a grant of your own')
    let used = false
    let looked = 0
    const all = Promise.withResolvers<void>()
    const tickets = {
      // The worst of all orders: each has looked before the first one marks.
      async find() {
        const ticket = { userId: 'alice', used }
        looked += 1
        if (looked >= AT_ONCE) all.resolve()
        await all.promise
        return ticket
      },
      async markUsed() {
        used = true
      },
    }
    const answers: Answer[] = []
    let provider: Provider | undefined
    await serving(
      (base) => {
        provider = new Provider(base, {
          ...configuration,
          clients: [
            {
              client_id: 'console',
              token_endpoint_auth_method: 'none',
              grant_types: [TOKEN_EXCHANGE_GRANT_TYPE],
              redirect_uris: [],
              response_types: [],
            },
          ],
          extraTokenClaims: actByHand as NonNullable<Configuration['extraTokenClaims']>,
        })
        ;(registerByHand as (provider: Provider, tickets: object) => void)(provider, tickets)
        return provider.callback()
      },
      async (base) => {
        const form = { subject_token: 'ticket', actor: 'bob, the innocent' }
        const body = { grant_type: TOKEN_EXCHANGE_GRANT_TYPE, client_id: 'console', ...form }
        const ask = () => token(base, body)
        answers.push(...(await Promise.all(Array.from({ length: AT_ONCE }, ask))), await ask())
      },
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses).to.deep.equal([...Array(AT_ONCE).fill(200), 400])
    const tokens = new Set(answers.slice(0, AT_ONCE).map(({ body }) => body.access_token))
    expect(tokens.size).to.equal(AT_ONCE)
    for (const one of tokens) {
      const { extra } = (await provider?.AccessToken.find(one)) ?? {}
      expect(extra).to.deep.equal({ act: { sub: 'bob, the innocent' } })
    }
  })
})
