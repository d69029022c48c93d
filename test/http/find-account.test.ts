import { expect } from 'chai'
import { findAccount } from '../../src/siblings/index.ts'
import { deploy } from '../support/deployment.ts'

describe('the account look-up of the sibling packages', () => {
  it("finds accounts by the deployment's findAccount, which may read a request that is not there, and may fail", async () => {
    const asked: unknown[] = []
    await using deployment = await deploy({
      configuration: {
        findAccount: (ctx, sub) => {
          ctx.set('X-Seen', 'yes')
          const header = ctx.get('X-Forwarded-For')
          const { ip, secure, host, path, query, method, oidc } = ctx
          asked.push([oidc.issuer, sub, ip, secure, host, path, query, method, header])
          if (sub === 'trouble') throw new Error('the directory is out of order')
          return sub === 'alice' ? { accountId: sub, claims: () => ({ sub }) } : undefined
        },
      },
    })
    const { provider, issuer } = deployment
    expect((await findAccount(provider, 'alice'))?.accountId).to.equal('alice')
    expect(await findAccount(provider, 'ghost')).to.equal(undefined)
    const error = await findAccount(provider, 'trouble').catch((why: unknown) => why)
    expect(error).to.have.property('message', 'the directory is out of order')
    const nothing = ['', false, '', '/', {}, 'GET', '']
    const ids = ['alice', 'ghost', 'trouble']
    expect(asked).to.deep.equal(ids.map((sub) => [issuer, sub, ...nothing]))
  })
})
