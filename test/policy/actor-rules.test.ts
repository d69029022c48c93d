import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { at, later } from '../support/clock.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { ACTOR_REFUSED, expectAnswer } from '../support/http.ts'
import { apiToken } from '../support/jwts.ts'
import { signIn } from '../support/sign-in.ts'

async function exchangeWith(deployment: Deployment, actor_token: string) {
  return deployment.exchange({ actor_token })
}

/** One opaque and one JWT access token of the operator. */
async function operatorTokens(deployment: Deployment, clientId = 'console'): Promise<string[]> {
  return [
    (await signIn(deployment, 'olivia', { clientId })).access_token,
    await apiToken(deployment, 'olivia', { clientId }),
  ]
}

describe('actorToken.sameClient', () => {
  for (const [what, sameClient, refused, good] of [
    ['refuses an actor token that was issued to another client', true, 'plain', 'console'],
    ['as a list, takes the tokens of these clients alone', ['plain'], 'console', 'plain'],
  ] as const) {
    it(what, async () => {
      await using deployment = await deploy({ impersonation: { actorToken: { sameClient } } })
      for (const token of await operatorTokens(deployment, refused)) {
        await expectAnswer(exchangeWith(deployment, token), 400, ACTOR_REFUSED)
      }
      for (const token of await operatorTokens(deployment, good)) {
        await expectAnswer(exchangeWith(deployment, token), 200)
      }
    })
  }
})

describe('actorToken.maxAge', () => {
  it('counts from when the operator signed in, not from when the token was issued', async () => {
    await using deployment = await deploy({ impersonation: { actorToken: { maxAge: 600 } } })
    const { refresh_token } = await signIn(deployment, 'olivia', { scope: 'openid offline_access' })
    using _ = later(601_000)
    const form = { grant_type: 'refresh_token', client_id: 'console', refresh_token }
    const { body } = await deployment.post('/oidc/token', form)
    await expectAnswer(exchangeWith(deployment, body.access_token), 400, ACTOR_REFUSED)
  })

  it('works for opaque tokens and JWTs, and no hook can make a sign-in younger', async () => {
    const fresh = 9_999_999_999
    await using deployment = await deploy({
      impersonation: {
        actorToken: { maxAge: 600 },
        getCustomJwtClaims: () => ({ auth_time: fresh }),
      },
      configuration: {
        extraTokenClaims: () => ({ auth_time: fresh }),
        formats: {
          customizers: {
            jwt(_ctx, _token, { payload }) {
              payload.auth_time = fresh
            },
          },
        },
      },
    })
    const tokens = await operatorTokens(deployment)
    for (const token of tokens) {
      await expectAnswer(exchangeWith(deployment, token), 200)
    }
    expect(decodeJwt(tokens[1] ?? '').auth_time).to.be.lessThan(fresh)
  })

  it('is over when maxAge has passed, and not sooner', async () => {
    await using deployment = await deploy({ impersonation: { actorToken: { maxAge: 600 } } })
    const access_token = await apiToken(deployment)
    const { auth_time } = decodeJwt(access_token)
    const over = (Number(auth_time) + 600) * 1000
    await expectAnswer(
      at(over, () => exchangeWith(deployment, access_token)),
      200,
    )
    const { body } = await at(over + 1000, () => exchangeWith(deployment, access_token))
    expect(body).to.deep.equal(ACTOR_REFUSED)
  })

  it('refuses where the sign-in cannot be known, and only there', async () => {
    for (const [actorToken, status] of [
      [{}, 200],
      [{ maxAge: 600 }, 400],
    ] as const) {
      await using deployment = await deploy({
        impersonation: { actorToken },
        // No hook makes it known.
        configuration: { extraTokenClaims: () => ({ auth_time: 9_999_999_999 }) },
      })
      const { Client, Grant, AccessToken } = deployment.provider
      const client = await Client.find('console')
      if (!client) throw new Error('no client')
      const grantId = await new Grant({ accountId: 'olivia', clientId: 'console' }).save()
      const token = new AccessToken({
        accountId: 'olivia',
        client,
        scope: 'openid',
        gty: 'custom',
        grantId,
      })
      const answer = await expectAnswer(exchangeWith(deployment, await token.save()), status)
      if (status === 400) expect(answer.body).to.deep.equal(ACTOR_REFUSED)
    }
  })
})
