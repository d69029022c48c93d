import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { application, confidential } from '../support/clients.ts'
import { basic, deploy } from '../support/deployment.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { ACTOR_REFUSED, expectAnswer } from '../support/http.ts'
import { apiToken, resigned } from '../support/jwts.ts'
import { shared } from '../support/shared.ts'
import { signIn } from '../support/sign-in.ts'

describe('the actor token', () => {
  let jwt: string
  const deployment = shared(deploy)
  before(async () => {
    jwt = await apiToken(deployment)
  })

  async function exchangeWith(actor_token: string, at = deployment, headers = {}) {
    return at.exchange({ actor_token }, headers)
  }

  it('is accepted opaque and as a JWT, and may have been issued to another client than the one that exchanges', async () => {
    const opaque = (await signIn(deployment, 'olivia', { clientId: 'plain' })).access_token
    for (const token of [opaque, jwt]) {
      const { body } = await expectAnswer(exchangeWith(token), 200)
      expect(decodeJwt(body.access_token).act).to.deep.equal({ sub: 'olivia' })
    }
  })

  it('I7: is refused where it was revoked, or its account, its client or its grant is gone; the subject token stays usable', async () => {
    const memory = createMemoryAdapter()
    const clientId = 'helpdesk'
    const client = { ...application, client_id: clientId }
    await memory('Client').upsert(clientId, client)
    await using other = await deploy({ adapter: memory })
    const grants: string[] = []
    other.provider.on('grant.saved', (grant) => grants.push(grant.jti))
    const tokens = [
      (await signIn(other, 'olivia', { clientId })).access_token,
      await apiToken(other, 'olivia', { clientId }),
    ]
    const revoked = await other.actorToken()
    await other.post('/oidc/token/revocation', { token: revoked, client_id: 'console' })
    const subject_token = await other.subjectToken()
    const expectRefused = async (...refused: string[]) => {
      for (const actor_token of refused) {
        await expectAnswer(other.exchange({ subject_token, actor_token }), 400, ACTOR_REFUSED)
      }
    }
    const expectGood = async () => {
      for (const token of tokens) await expectAnswer(exchangeWith(token, other), 200)
    }
    await expectRefused(revoked)
    await expectGood()
    other.accounts.delete('olivia')
    await expectRefused(...tokens)
    other.accounts.add('olivia')
    await memory('Client').destroy(clientId)
    await expectRefused(...tokens)
    await memory('Client').upsert(clientId, client)
    await expectGood()
    for (const grant of grants) await memory('Grant').destroy(grant)
    await expectRefused(...tokens)
    await other.redeem(subject_token)
  })

  it('a JWT that could serve as actor token names its grant, whatever customisers do', async () => {
    await using other = await deploy({
      configuration: {
        formats: {
          customizers: {
            jwt(_ctx, _token, { payload }) {
              Object.assign(payload, { op_grant_id: 'made-up', jti: 'made-up', custom: true })
            },
          },
        },
      },
    })
    const token = await apiToken(other)
    expect(decodeJwt(token)).to.include({ custom: true })
    expect(decodeJwt(token).op_grant_id).to.not.equal('made-up')
    const { body } = await exchangeWith(token, other)
    expect(decodeJwt(body.access_token).act).to.deep.equal({ sub: 'olivia' })
  })

  it('I5: storage that fails is 500, also where the actor token is invalid', async () => {
    const { adapter, faults } = faultyAdapter()
    await using other = await deploy({ adapter })
    const subject_token = await other.subjectToken()
    faults.add('SubjectToken.find')
    await expectAnswer(
      other.exchange({ subject_token, actor_token: 'garbage' }),
      500,
      'server_error',
    )
  })

  it('a pairwise client gets pairwise subjects, and its JWTs cannot be traced to an actor', async () => {
    await using other = await deploy({
      configuration: {
        subjectTypes: ['public', 'pairwise'],
        // To bob's id, of all things: a pairwise subject must not pass for an account.
        pairwiseIdentifier: (_ctx, accountId, client) =>
          accountId === 'olivia' ? 'bob' : `${accountId}@${client.clientId}`,
      },
      clients: [
        {
          ...confidential,
          client_id: 'pairwise',
          client_secret: 'secret',
          subject_type: 'pairwise',
        },
      ],
    })
    const headers = basic('pairwise', 'secret')
    const options = { clientId: 'pairwise', headers }
    const opaque = (await signIn(other, 'olivia', options)).access_token
    const structured = await apiToken(other, 'olivia', options)
    const { body } = await exchangeWith(opaque, other, headers)
    expect(decodeJwt(body.access_token).sub).to.equal('alice@pairwise')
    const ungranted = await resigned(structured, { op_grant_id: undefined })
    for (const token of [structured, ungranted]) {
      await expectAnswer(exchangeWith(token, other), 400, ACTOR_REFUSED)
    }
  })
})
