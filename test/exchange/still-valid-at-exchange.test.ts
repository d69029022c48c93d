import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { application, machine } from '../support/clients.ts'
import { type DeploymentOptions, deploy } from '../support/deployment.ts'
import { expectAnswer, REFUSED } from '../support/http.ts'
import { signIn } from '../support/sign-in.ts'

const backend = { ...machine, client_id: 'stored-backend' }
const operators = { ...application, client_id: 'stored-console' }

/** Clients in the storage, and a rule that waits at the exchange while `meanwhile` happens. */
async function deployWithStoredClients() {
  const memory = createMemoryAdapter()
  const clients = memory('Client')
  await clients.upsert(backend.client_id, backend)
  await clients.upsert(operators.client_id, operators)
  let meanwhile: (() => Promise<unknown>) | undefined
  const deployment = await deploy({
    adapter: memory,
    impersonation: {
      managementApi: { clients: [backend.client_id] },
      authorize: async ({ stage }) => {
        if (stage === 'exchange') {
          await new Promise((resolve) => setImmediate(resolve))
          await meanwhile?.()
        }
        return true
      },
    },
  })
  const token = await deployment.m2mToken({}, [backend.client_id, 'secret'])
  const { body } = await deployment.issueBy(token)
  const olivia = await signIn(deployment, 'olivia', { clientId: operators.client_id })
  const form = {
    subject_token: body.subjectToken,
    client_id: operators.client_id,
    actor_token: olivia.access_token,
  }
  return {
    deployment,
    clients,
    memory,
    form,
    token,
    exchangeWhile: async (happens: () => Promise<unknown>) => {
      meanwhile = happens
      const answer = await deployment.exchange(form)
      meanwhile = undefined
      return answer
    },
  }
}

describe('I7: what held at the issue holds no more at the exchange', () => {
  it('the user was removed, or findAccount finds another account under the id', async () => {
    let found: string[] = ['alice']
    const findAccount = () => found.map((sub) => ({ accountId: sub, claims: () => ({ sub }) }))[0]
    await using deployment = await deploy({ configuration: { findAccount } })
    const subject_token = await deployment.subjectToken()
    for (found of [[], ['alice-merged-into-bob']]) {
      await deployment.expectWorthless(subject_token)
    }
  })

  it('the client that exchanges was stripped of the grant, or removed', async () => {
    const { deployment, clients, form } = await deployWithStoredClients()
    await clients.upsert(operators.client_id, { ...operators, grant_types: ['authorization_code'] })
    await expectAnswer(deployment.exchange(form), 400)
    await clients.destroy(operators.client_id)
    expect((await deployment.exchange(form)).body.error).to.equal('invalid_client')
    await deployment.close()
  })

  it('the client that issued was removed, stripped of its grant, or made public', async () => {
    const { deployment, clients, form, token } = await deployWithStoredClients()
    const { client_id } = backend
    for (const change of [
      { ...operators, client_secret: 'secret', client_id },
      { ...backend, token_endpoint_auth_method: 'none' as const },
      undefined,
    ]) {
      if (change) await clients.upsert(client_id, change)
      else await clients.destroy(client_id)
      await expectAnswer(deployment.exchange(form), 400, REFUSED)
      await expectAnswer(deployment.issueBy(token), 401)
    }
    await clients.upsert(client_id, backend)
    await expectAnswer(deployment.exchange(form), 200)
    await deployment.close()
  })
})

describe('I7: what held at the issue holds no more while the exchange waits', () => {
  it('the user is removed: refused, and the subject token stays unused', async () => {
    const { deployment, form, exchangeWhile } = await deployWithStoredClients()
    await expectAnswer(
      exchangeWhile(async () => deployment.accounts.delete('alice')),
      400,
      REFUSED,
    )
    deployment.accounts.add('alice')
    await expectAnswer(deployment.exchange(form), 200)
    await deployment.close()
  })

  it("the operator's grant is revoked, or the operator removed: refused", async () => {
    const { deployment, memory, form, exchangeWhile } = await deployWithStoredClients()
    const gone = await exchangeWhile(async () => deployment.accounts.delete('olivia'))
    expect(gone.body.error_description).to.equal('actor token is invalid')
    deployment.accounts.add('olivia')
    const revoked = await exchangeWhile(async () => {
      const actorToken = await deployment.provider.AccessToken.find(form.actor_token)
      await memory('Grant').destroy(String(actorToken?.grantId))
    })
    expect(revoked.body.error_description).to.equal('actor token is invalid')
    await deployment.close()
  })

  it('the issuing client is removed, or the one that exchanges loses the grant: refused', async () => {
    const { deployment, clients, form, exchangeWhile } = await deployWithStoredClients()
    const removed = await exchangeWhile(() => clients.destroy(backend.client_id))
    expect(removed.body).to.deep.equal(REFUSED)
    await clients.upsert(backend.client_id, backend)
    await expectAnswer(
      exchangeWhile(() =>
        clients.upsert(operators.client_id, { ...operators, grant_types: ['authorization_code'] }),
      ),
      400,
      'unauthorized_client',
    )
    await clients.upsert(operators.client_id, operators)
    await expectAnswer(deployment.exchange(form), 200)
    await deployment.close()
  })

  it('I5: the stored client that exchanges cannot be loaded any more: 500, no word of it', async () => {
    const { deployment, clients, form, exchangeWhile } = await deployWithStoredClients()
    await expectAnswer(
      exchangeWhile(() =>
        clients.upsert(operators.client_id, { ...operators, redirect_uris: ['nonsense'] }),
      ),
      500,
      'server_error',
    )
    await clients.upsert(operators.client_id, operators)
    await expectAnswer(deployment.exchange(form), 200)
    await deployment.close()
  })

  it('the user is removed while a hook or customizer waits: refused; without a hook the user is looked at once', async () => {
    let meanwhile = () => {}
    const wait = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      meanwhile()
      return {}
    }
    const looked: string[] = []
    const hooks: DeploymentOptions[] = [
      {},
      { impersonation: { getCustomJwtClaims: wait } },
      { configuration: { extraTokenClaims: wait } },
      { configuration: { formats: { customizers: { jwt: async () => void (await wait()) } } } },
    ]
    for (const [at, { impersonation, configuration }] of hooks.entries()) {
      const users = new Set(['alice'])
      const findAccount = (_ctx: unknown, sub: string) => {
        looked.push(sub)
        return users.has(sub) ? { accountId: sub, claims: () => ({ sub }) } : undefined
      }
      await using deployment = await deploy({
        impersonation,
        configuration: { ...configuration, findAccount },
      })
      const subject_token = await deployment.subjectToken()
      meanwhile = () => users.delete('alice')
      if (at > 0) await deployment.expectWorthless(subject_token)
      users.add('alice')
      meanwhile = () => {}
      looked.length = 0
      await deployment.redeem(subject_token)
      expect(looked).to.have.length(at === 0 ? 1 : 2)
    }
  })
})
