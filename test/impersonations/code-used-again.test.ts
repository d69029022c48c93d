import { expect } from 'chai'
import { deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import { only, until } from './recorded-endings.ts'

const GRANT_TYPE = 'urn:example:code-used-again'

describe('what an operator runs ends with the grant', () => {
  it('where a pre-authorized code is used again', async () => {
    await using deployment = await deploy({
      clients: [
        {
          client_id: 'wallet',
          token_endpoint_auth_method: 'none',
          grant_types: [GRANT_TYPE],
          redirect_uris: [],
          response_types: [],
        },
      ],
    })
    const { provider } = deployment
    // As the provider does it, but without the rest of OpenID4VCI.
    provider.registerGrantType(
      GRANT_TYPE,
      async (ctx) => {
        const code = await provider.PreAuthorizedCode.find(String(ctx.oidc.params?.code))
        provider.emit('grant.revoked', ctx, String(code?.grantId))
        ctx.body = {}
      },
      'code',
    )
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const { grantId = '' } = (await provider.AccessToken.find(actor_token)) ?? {}
    const of = { accountId: 'olivia', clientId: 'wallet', grantId, scope: 'openid' }
    const code = await new provider.PreAuthorizedCode({ ...of, expiresIn: 60 }).save()
    await deployment.exchange({ subject_token: await deployment.subjectToken(), actor_token })
    const form = { grant_type: GRANT_TYPE, client_id: 'wallet', code }
    expect((await deployment.post('/oidc/token', form)).status).to.equal(200)
    const { state } = await until(
      () => only(deployment),
      (it) => it.state === 'ended',
    )
    expect(state).to.equal('ended')
  })
})
