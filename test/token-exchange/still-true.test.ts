import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { deploy } from '../support/deployment.ts'
import { REFUSED } from '../support/http.ts'

describe('I7: still true at exchange', () => {
  it('the user was removed', async () => {
    const deployment = await deploy()
    const subject_token = await deployment.subjectToken()
    deployment.accounts.delete('alice')
    expect((await deployment.exchange({ subject_token })).body).to.deep.equal(REFUSED)
    await deployment.close()
  })

  it('findAccount finds another account under the id', async () => {
    let accountId = 'alice'
    const deployment = await deploy({
      configuration: { findAccount: () => ({ accountId, claims: () => ({ sub: accountId }) }) },
    })
    const subject_token = await deployment.subjectToken()
    accountId = 'alice-merged-into-bob'
    expect((await deployment.exchange({ subject_token })).body).to.deep.equal(REFUSED)
    await deployment.close()
  })

  const clientsInStorage = async () => {
    const memory = createMemoryAdapter()
    const machine = {
      client_id: 'stored-backend',
      client_secret: 'secret',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    }
    const operator = {
      client_id: 'stored-console',
      token_endpoint_auth_method: 'none' as const,
      grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
      redirect_uris: ['https://app.example.com/callback'],
    }
    const clients = memory('Client')
    await clients.upsert(machine.client_id, machine)
    await clients.upsert(operator.client_id, operator)
    const deployment = await deploy({ configuration: { adapter: memory } })
    const token = await deployment.m2mToken({}, ['stored-backend', 'secret'])
    const { body } = await deployment.issue({ userId: 'alice' }, { token })
    const form = { subject_token: body.subjectToken, client_id: 'stored-console' }
    return { deployment, clients, machine, operator, form, token }
  }

  it('the client that exchanges was removed', async () => {
    const { deployment, clients, form } = await clientsInStorage()
    await clients.destroy('stored-console')
    expect((await deployment.exchange(form)).body.error).to.equal('invalid_client')
    await deployment.close()
  })

  it('the client that exchanges was stripped of the grant', async () => {
    const { deployment, clients, operator, form } = await clientsInStorage()
    await clients.upsert('stored-console', { ...operator, grant_types: ['authorization_code'] })
    expect((await deployment.exchange(form)).status).to.equal(400)
    await deployment.close()
  })

  it('the client that issued was removed, or stripped of its grant', async () => {
    const { deployment, clients, machine, operator, form, token } = await clientsInStorage()
    await clients.upsert('stored-backend', {
      ...machine,
      grant_types: operator.grant_types,
      redirect_uris: operator.redirect_uris,
      response_types: ['code'],
    })
    expect((await deployment.exchange(form)).body).to.deep.equal(REFUSED)
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(401)
    await clients.destroy('stored-backend')
    expect((await deployment.exchange(form)).body).to.deep.equal(REFUSED)
    await clients.upsert('stored-backend', machine)
    expect((await deployment.exchange(form)).status).to.equal(200)
    await deployment.close()
  })
})
