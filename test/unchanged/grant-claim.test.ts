import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { ActorTokenOptions } from '../../src/index.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { signIn } from '../support/sign-in.ts'

/** A JWT that a person gets through a client, for the orders API. */
async function jwtOf(deployment: Deployment, clientId = 'console', scope = 'openid orders:read') {
  const options = { clientId, scope, resource: deployment.orders }
  return (await signIn(deployment, 'olivia', options)).access_token
}

async function claimOf(actorToken: ActorTokenOptions, clientId?: string, scope?: string) {
  const deployment = await deploy({ impersonation: { actorToken } })
  const { op_grant_id: claim } = decodeJwt(await jwtOf(deployment, clientId, scope))
  await deployment.close()
  return claim
}

describe('op_grant_id stands only where an exchange could want it', () => {
  it('by default, in JWTs with the scope of an actor token, of every client', async () => {
    expect(await claimOf({})).to.be.a('string')
    expect(await claimOf({}, 'plain')).to.be.a('string')
    expect(await claimOf({}, 'console', 'orders:read')).to.equal(undefined)
    expect(await claimOf({ scope: 'orders:write' })).to.equal(undefined)
  })

  it('with sameClient, only in those of clients that list the grant', async () => {
    expect(await claimOf({ sameClient: true })).to.be.a('string')
    expect(await claimOf({ sameClient: true }, 'plain')).to.equal(undefined)
  })

  it('with a list as sameClient, only in those of its clients', async () => {
    expect(await claimOf({ sameClient: ['plain'] })).to.equal(undefined)
    expect(await claimOf({ sameClient: ['plain'] }, 'plain')).to.be.a('string')
  })

  it('with grantClaim false nowhere: then a JWT outlives its grant as an actor token, an opaque one does not', async () => {
    const memory = createMemoryAdapter()
    await using deployment = await deploy({
      configuration: { adapter: memory },
      impersonation: { actorToken: { grantClaim: false } },
    })
    const grants: string[] = []
    deployment.provider.on('grant.saved', ({ jti }) => grants.push(jti))
    const jwt = await jwtOf(deployment)
    expect(decodeJwt(jwt)).to.not.have.property('op_grant_id')
    const opaque = (await signIn(deployment, 'olivia')).access_token
    for (const id of grants) await memory('Grant').destroy(id)
    const subject_token = await deployment.subjectToken()
    await expectAnswer(deployment.exchange({ subject_token, actor_token: opaque }), 400)
    const { body } = await expectAnswer(
      deployment.exchange({ subject_token, actor_token: jwt }),
      200,
    )
    expect(decodeJwt(body.access_token).act).to.deep.equal({ sub: 'olivia' })
  })
})
