import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { GetCustomJwtClaims } from '../../src/index.ts'
import { deploy } from '../support/deployment.ts'
import { shared } from '../support/shared.ts'
import { call, snippetsOf } from './documents.ts'

describe('docs/migrating.md', () => {
  const snippets = shared(() => snippetsOf('migrating.md'))

  it('the hook from Logto leads to a token that names operator and ticket', async () => {
    const { getCustomJwtClaims } = await snippets.load('From Logto')
    await using deployment = await deploy({
      impersonation: { getCustomJwtClaims: getCustomJwtClaims as GetCustomJwtClaims },
    })
    const subject_token = await deployment.subjectToken({
      mayAct: { sub: 'olivia' },
      context: { ticketId: 'SUP-1', reason: 'lost parcel', supportEngineerId: 'olivia' },
    })
    const actor_token = await deployment.actorToken()
    const { body } = await deployment.exchange({ subject_token, actor_token })
    expect(decodeJwt(String(body.access_token))).to.deep.include({
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
      call(authorize, { account: { accountId }, actor: actor && { sub: actor } })
    expect(asks('olivia', 'alice')).to.equal(true)
    expect(asks('mallory', 'alice')).to.equal(false)
    expect(asks('olivia', 'henry')).to.equal(false)
    expect(asks(undefined, 'alice')).to.equal(false)
  })
})
