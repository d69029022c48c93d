import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { ActorTokenOptions } from '../../src/index.ts'
import { deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { apiToken } from '../support/jwts.ts'

const STANDS: ReadonlyArray<
  [
    when: string,
    actorToken: ActorTokenOptions,
    ...tokens: [boolean, client?: string, scope?: string][],
  ]
> = [
  [
    'by default, in JWTs with the scope of an actor token, of every client',
    {},
    [true],
    [true, 'plain'],
    [false, 'console', 'orders:read'],
  ],
  ['with another scope, in none without it', { scope: 'orders:write' }, [false]],
  [
    'with sameClient, only in those of clients that list the grant',
    { sameClient: true },
    [true],
    [false, 'plain'],
  ],
  [
    'with a list as sameClient, only in those of its clients',
    { sameClient: ['plain'] },
    [false],
    [true, 'plain'],
  ],
]

describe('op_grant_id stands only where an exchange could want it', () => {
  for (const [when, actorToken, ...tokens] of STANDS) {
    it(when, async () => {
      await using deployment = await deploy({ impersonation: { actorToken } })
      for (const [stands, clientId, scope = 'openid orders:read'] of tokens) {
        const claims = decodeJwt(await apiToken(deployment, 'olivia', { clientId, scope }))
        expect(typeof claims.op_grant_id).to.equal(stands ? 'string' : 'undefined')
      }
    })
  }

  it('with grantClaim false nowhere: then a JWT outlives its grant as an actor token, an opaque one does not', async () => {
    const memory = createMemoryAdapter()
    await using deployment = await deploy({
      adapter: memory,
      impersonation: { actorToken: { grantClaim: false } },
    })
    const grants: string[] = []
    deployment.provider.on('grant.saved', ({ jti }) => grants.push(jti))
    const jwt = await apiToken(deployment)
    expect(decodeJwt(jwt)).to.not.have.property('op_grant_id')
    const opaque = await deployment.actorToken()
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
