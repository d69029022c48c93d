import { expect } from 'chai'
import { type AuthorizationRequest, type Authorize, allOf, type Verdict } from '../../src/index.ts'

describe('allOf: several rules', () => {
  const asked: string[] = []
  const noting: Authorize = ({ scope }) => {
    asked.push(String(scope))
    return true
  }
  const answering =
    (verdict: Verdict): Authorize =>
    () =>
      verdict
  const reading = answering({ scope: 'orders:read' })
  const both = 'orders:read orders:write'

  async function verdict(scope: string | undefined, ...rules: Authorize[]): Promise<unknown> {
    return allOf(...rules)({ scope, stage: 'issue' } as AuthorizationRequest)
  }

  it('allow what all of them allow, each seeing what the others left', async () => {
    expect(await verdict(both, noting, reading, noting)).to.deep.equal({ scope: 'orders:read' })
    expect(asked).to.deep.equal([both, 'orders:read'])
    expect(await verdict(undefined, reading)).to.deep.equal({ scope: 'orders:read' })
    expect(await verdict(undefined, noting)).to.equal(true)
  })

  it('leave the shortest life of the access token, whichever rule says it', async () => {
    const limits = [{ accessTokenTtl: 60 }, { scope: 'orders:read' }, { accessTokenTtl: 30 }]
    const rules = limits.map(answering)
    const least = { scope: 'orders:read', accessTokenTtl: 30 }
    expect(await verdict(both, ...rules, noting)).to.deep.equal(least)
    expect(await verdict(both, noting, ...rules.toReversed())).to.deep.equal(least)
  })

  it('intersect scopes: what one before left is not widened', async () => {
    expect(await verdict(both, reading, answering({ scope: both }))).to.deep.equal({
      scope: 'orders:read',
    })
    expect(await verdict(both, reading, answering({ scope: 'orders:write' }))).to.equal(false)
    expect(await verdict('orders:read', answering({ scope: '' }), reading)).to.equal(false)
  })

  it('refuse, at the exchange, too, where one rule leaves nothing', async () => {
    const nothing = answering({ scope: '' })
    for (const rules of [
      [nothing, reading],
      [reading, nothing],
      [nothing, noting],
    ]) {
      const request = { scope: both, stage: 'exchange' } as AuthorizationRequest
      expect(await allOf(...rules)(request)).to.equal(false)
    }
  })

  it('false beats needs, permits and emergencies, wherever it stands', async () => {
    const generous = [
      answering({ needs: ['user'], emergency: true }),
      answering({ permit: 'p1', review: 'late' }),
    ]
    expect(await verdict(both, ...generous, answering(false))).to.equal(false)
    expect(await verdict(both, answering(false), ...generous)).to.equal(false)
  })

  it('keep every review, the shortest first, so that no long one cuts off what an emergency says', async () => {
    const reviews = ['It is night', 'emergency', 'It is night'].map((review) =>
      answering({ review }),
    )
    expect(await verdict(both, ...reviews)).to.deep.equal({ review: 'emergency; It is night' })
    const long = 'x'.repeat(255)
    const { review } = Object(
      await verdict(both, answering({ review: long }), answering({ review: 'emergency' })),
    )
    expect(review).to.equal(`emergency; ${'x'.repeat(244)}`)
  })

  it('unite needs, and allow an emergency only where each of them does', async () => {
    const second = { needs: ['second_person' as const], emergency: true }
    const customer = { needs: ['user' as const] }
    expect(await verdict(both, answering(second), noting)).to.deep.equal(second)
    for (const rules of [
      [second, customer],
      [customer, second],
    ]) {
      const { needs, emergency } = Object(await verdict(both, ...rules.map(answering)))
      expect(needs).to.have.members(['second_person', 'user'])
      expect(emergency).to.equal(false)
    }
  })

  it('keep all permits, each once', async () => {
    const rules = [{ permit: 'p1' }, { review: 'late' }, { permit: 'p2', review: 'later' }]
    expect(await verdict(both, ...rules.map(answering))).to.deep.equal({
      permit: ['p1', 'p2'],
      review: 'late; later',
    })
    const same = [{ permit: 'p1' }, { permit: ['p1'] }]
    expect(await verdict(both, ...same.map(answering))).to.deep.equal({ permit: 'p1' })
  })

  it('I9: fail where one of them answers no verdict, wherever it stands', async () => {
    for (const wrong of [undefined, 'yes', {}, { accessTokenTtl: null }]) {
      const mistaken = answering(wrong as never)
      for (const rules of [[mistaken], [mistaken, noting], [noting, mistaken]]) {
        const failure = await verdict(both, ...rules).catch((error: unknown) => error)
        expect(failure, JSON.stringify(wrong)).to.be.instanceOf(TypeError)
      }
    }
  })

  it('are at least one, and functions', () => {
    expect(() => allOf()).to.throw(TypeError, 'at least one rule')
    expect(() => allOf(noting, true as never)).to.throw(TypeError, 'each a function')
  })
})
