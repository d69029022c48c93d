import { expect } from 'chai'
import { type Deployment, deploy } from '../../support/deployment.ts'

describe('the API of the console', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy()
  })

  after(() => deployment[Symbol.asyncDispose]())

  it('tells a person who they are', async () => {
    const { status, body } = await deployment.ask('olivia', '/me')
    expect(status).to.equal(200)
    expect(body).to.deep.include({ id: 'olivia', name: 'Olivia Okafor', role: 'operator' })
  })

  it('hands over, and shows what runs', async () => {
    const { body: found } = await deployment.ask('olivia', '/customers?q=alice')
    expect(found.customers).to.have.length(1)
    const running = await deployment.impersonate()
    expect(await running.look()).to.equal(200)
    expect(await running.change()).to.equal(200)
    expect(await running.refused()).to.equal(403)
    await deployment.settled()
    const { body } = await deployment.ask('grace', '')
    expect(body.running[0]).to.deep.include({
      id: running.id,
      operator: { id: 'olivia', name: 'Olivia Okafor', email: 'olivia@support.example' },
      canChange: true,
      application: 'Shop',
      ticket: 'SUP-123',
    })
    const again = await deployment.ask('olivia', `/impersonations/${running.id}/continue`, {})
    expect(again.status).to.equal(201)
    const ended = await deployment.ask('grace', '/running/end', { operator: 'olivia' })
    expect(ended.body, 'the first one has ended').to.deep.equal({ ended: 1 })
  })
})
