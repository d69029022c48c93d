import { expect } from 'chai'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { type Deployment, deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { signIn } from '../support/sign-in.ts'

const unsaid = 'https://unsaid.example'
const opaque = 'https://opaque.example'

describe('the format of an impersonated access token', () => {
  let deployment: Deployment
  before(async () => {
    deployment = await deploy({
      resources: {
        [unsaid]: { scope: 'read openid' },
        [opaque]: { scope: 'read', accessTokenFormat: 'opaque' },
      },
    })
  })
  after(() => deployment.close())

  const exchange = async (resource: string) =>
    deployment.exchange({
      actor_token: (await signIn(deployment, 'olivia')).access_token,
      resource,
      scope: 'read',
    })

  const resourcesAtCheck = async () => {
    const list = await deployment.provider.impersonation.check()
    return list.find(({ id }) => id === 'token_format')
  }

  it('is a JWT that names the operator where the resource server says nothing of a format', async () => {
    const { status, body } = await exchange(unsaid)
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(decodeProtectedHeader(body.access_token).typ).to.equal('at+jwt')
    const claims = decodeJwt(body.access_token)
    expect(claims).to.include({ sub: 'alice', aud: unsaid, client_id: 'console' })
    expect(claims.act).to.deep.equal({ sub: 'olivia' })
    expect(claims.jti).to.match(/^impersonation:/)
    expect(claims).to.have.property('status')
  })

  it('in the provider’s own grants, such a resource server gets opaque tokens as before', async () => {
    const { access_token } = await signIn(deployment, 'olivia', {
      resource: unsaid,
      scope: 'openid read',
    })
    expect(access_token).to.not.include('.')
  })

  it('is opaque where the resource server says so, and check() names that resource from then on', async () => {
    expect(await resourcesAtCheck()).to.include({ ok: true })
    const { body } = await expectAnswer(exchange(opaque), 200)
    expect(body.access_token).to.not.include('.')
    const row = await resourcesAtCheck()
    expect(row?.ok).to.equal(false)
    expect(row?.message).to.include(opaque).and.to.not.include(unsaid)
  })
})
