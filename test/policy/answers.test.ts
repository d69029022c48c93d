import { expect } from 'chai'
import { recording } from '../support/audit.ts'
import { type Deployment, deploy } from '../support/deployment.ts'

const answerAfter = async (deployment: Deployment, body: object) => {
  const issued = await deployment.issue({ userId: 'alice', ...body })
  const exchanged = await deployment.exchange({
    subject_token: issued.body.subjectToken,
    scope: 'orders:read orders:write',
  })
  return [exchanged.status, exchanged.body.error]
}

describe('answers of authorize and contextSchema', () => {
  it('{ scope: "" } at issue allows nothing, rather than everything', async () => {
    const { deployment, recorded } = await recording({
      impersonation: { authorize: ({ stage }) => (stage === 'issue' ? { scope: '' } : true) },
    })
    const refused = [400, 'invalid_scope']
    expect(await answerAfter(deployment, {})).to.deep.equal(refused)
    expect(await answerAfter(deployment, { scope: 'orders:read' })).to.deep.equal(refused)
    expect((await recorded())[0]?.scope).to.equal('')
    await deployment.close()
  })

  it('authorize cannot change the context that the schema has let pass', async () => {
    const { deployment, recorded } = await recording({
      impersonation: {
        authorize({ stage, context }) {
          if (stage === 'issue') {
            expect(() => Object.assign(context, { evil: 1 })).to.throw(TypeError)
          }
          return true
        },
      },
    })
    await deployment.subjectToken('alice', { reason: 'x', nested: { n: 1 } })
    const [issued] = await recorded()
    expect(issued?.context).to.deep.equal({ reason: 'x', nested: { n: 1 } })
    expect(issued?.context?.nested).to.satisfy(Object.isFrozen)
    await deployment.close()
  })

  it('what a schema answers is kept as JSON says it, or is a 500', async () => {
    let value: unknown
    await using deployment = await deploy({ impersonation: { contextSchema: () => ({ value }) } })
    let deep: object = {}
    for (let level = 0; level < 500; level += 1) deep = { deep }
    for (value of [{ toJSON: () => 'text' }, deep, []]) {
      expect((await deployment.issue({ userId: 'alice' })).status).to.equal(500)
    }
    value = { when: new Date(0) }
    expect((await deployment.issue({ userId: 'alice' })).status).to.equal(201)
  })

  it('a Standard Schema whose validate needs its this', async () => {
    const contextSchema = {
      '~standard': {
        ok: true,
        validate(value: unknown) {
          return this.ok ? { value } : { issues: [{ message: 'no' }] }
        },
      },
    }
    await using deployment = await deploy({ impersonation: { contextSchema } })
    expect((await deployment.issue({ userId: 'alice' })).status).to.equal(201)
  })
})
