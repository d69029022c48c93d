import { expect } from 'chai'
import { deploy } from '../support/deployment.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'

describe('POST /api/subject-tokens when things fail', () => {
  it('I5: answers 500 server_error when the token cannot be stored, and issues nothing', async () => {
    const { adapter, faults } = faultyAdapter()
    await using deployment = await deploy({ configuration: { adapter } })
    faults.add('SubjectToken.upsert')
    const { status, body } = await deployment.issue({ userId: 'alice' })
    expect(status).to.equal(500)
    expect(body.error).to.equal('server_error')
    expect(body).to.not.have.property('subjectToken')
    expect(JSON.stringify(body)).to.not.include('storage failed')
    expect(deployment.serverErrors).to.have.lengthOf(1)
  })

  it('I5: answers 500 when findAccount fails, not user_not_found', async () => {
    await using deployment = await deploy({
      configuration: {
        findAccount() {
          throw new Error('the directory is down')
        },
      },
    })
    const { status, body } = await deployment.issue({ userId: 'alice' })
    expect(status).to.equal(500)
    expect(body.error).to.equal('server_error')
  })

  it('answers 403 access_denied when findAccount refuses', async () => {
    const { errors } = await import('../../src/index.ts')
    await using deployment = await deploy({
      configuration: {
        findAccount() {
          throw new errors.AccessDenied('this account is protected')
        },
      },
    })
    const { status, body } = await deployment.issue({ userId: 'alice' })
    expect(status).to.equal(403)
    expect(body).to.deep.equal({
      error: 'access_denied',
      error_description: 'this account is protected',
    })
  })

  it('I6: the adapter never sees the value of a subject token, only its SHA-256', async () => {
    const seen: string[] = []
    const { adapter } = faultyAdapter()
    await using deployment = await deploy({
      configuration: {
        adapter: (model) =>
          new Proxy(adapter(model), {
            get: (target, property, receiver) => {
              const member: unknown = Reflect.get(target, property, receiver)
              if (typeof member !== 'function') return member
              return (...args: unknown[]) => {
                seen.push(JSON.stringify(args))
                return Reflect.apply(member, target, args)
              }
            },
          }),
      },
    })
    const value = await deployment.subjectToken()
    await deployment.exchange({ subject_token: value })
    expect(seen.length).to.be.greaterThan(2)
    expect(seen.filter((args) => args.includes(value))).to.deep.equal([])
    const { createHash } = await import('node:crypto')
    const id = createHash('sha256').update(value).digest('base64url')
    expect(seen.filter((args) => args.includes(id)).length).to.equal(3)
  })
})
