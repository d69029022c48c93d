import { expect } from 'chai'
import { findAccount } from '../../src/siblings/index.ts'
import { type Deployment, deploy } from '../support/deployment.ts'

describe('the account look-up of the sibling packages', () => {
  let deployment: Deployment
  const asked: unknown[] = []

  before(async () => {
    deployment = await deploy({
      configuration: {
        findAccount: (ctx, sub) => {
          asked.push([ctx.oidc.issuer, sub])
          if (sub === 'curious') {
            ctx.set('X-Seen', 'yes')
            const header = ctx.get('X-Forwarded-For')
            asked.push([ctx.ip, ctx.secure, ctx.host, ctx.path, ctx.query, ctx.method, header])
          }
          if (sub === 'trouble') throw new Error('the directory is out of order')
          return sub === 'alice' ? { accountId: sub, claims: () => ({ sub }) } : undefined
        },
      },
    })
  })

  after(() => deployment.close())

  it("finds accounts by the deployment's findAccount, in a request or outside one", async () => {
    const { provider } = deployment
    expect((await findAccount(provider, 'alice'))?.accountId).to.equal('alice')
    expect(await findAccount(provider, 'ghost')).to.equal(undefined)
    expect(asked).to.deep.equal([
      [deployment.issuer, 'alice'],
      [deployment.issuer, 'ghost'],
    ])
  })

  it('outside a request, a findAccount may read the request: there is nothing in it', async () => {
    asked.length = 0
    expect(await findAccount(deployment.provider, 'curious')).to.equal(undefined)
    expect(asked).to.deep.equal([
      [deployment.issuer, 'curious'],
      ['', false, '', '/', {}, 'GET', ''],
    ])
  })

  it('learns of a directory that fails', async () => {
    const error = await findAccount(deployment.provider, 'trouble').catch((why: unknown) => why)
    expect(error).to.have.property('message', 'the directory is out of order')
  })
})
