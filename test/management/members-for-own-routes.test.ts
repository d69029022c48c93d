import { expect } from 'chai'
import { Impersonation } from '../../src/index.ts'
import { type Deployment, deploy } from '../support/deployment.ts'

describe('what provider.impersonation offers to routes of the deployment', () => {
  let deployment: Deployment
  const asked: unknown[] = []

  before(async () => {
    deployment = await deploy({
      impersonation: { managementApi: { scope: 'act', prefix: '/support' } },
      configuration: {
        findAccount: (ctx, sub) => {
          asked.push([ctx.oidc.issuer, sub])
          if (sub === 'trouble') throw new Error('the directory is out of order')
          return sub === 'alice' ? { accountId: sub, claims: () => ({ sub }) } : undefined
        },
      },
    })
  })

  after(() => deployment.close())

  it('knows its resource, scope and prefix', () => {
    const { managementApi } = deployment.provider.impersonation
    expect(managementApi).to.deep.equal({
      resource: deployment.management,
      scope: 'act',
      prefix: '/support',
    })
  })

  it("finds accounts by the deployment's findAccount, in a request or outside one", async () => {
    const { impersonation } = deployment.provider
    expect((await impersonation.findAccount('alice'))?.accountId).to.equal('alice')
    expect(await impersonation.findAccount('ghost')).to.equal(undefined)
    expect(asked).to.deep.equal([
      [deployment.issuer, 'alice'],
      [deployment.issuer, 'ghost'],
    ])
  })

  it('learns of a directory that fails', async () => {
    const { impersonation } = deployment.provider
    const error = await impersonation.findAccount('trouble').catch((why: unknown) => why)
    expect(error).to.have.property('message', 'the directory is out of order')
  })

  it('finds no account before there is a provider', async () => {
    const impersonation = new Impersonation({
      enabled: true,
      managementApi: { resource: 'https://id.example.com/api', clients: ['backend'] },
    })
    const error = await impersonation.findAccount('alice').catch((why: unknown) => why)
    expect(error).to.be.instanceOf(TypeError)
    expect(error).to.have.property('message', 'findAccount() comes after register(provider)')
  })
})
