import { expect } from 'chai'
import { type AuthorizationRequest, type Authorize, allOf, type Verdict } from '../../src/index.ts'

const BOTH = 'orders:read orders:write'
const READ = { scope: 'orders:read' }
const NIGHT = { review: 'It is night' }
const EMERGENCY = { review: 'emergency' }
const SECOND = { needs: ['second_person' as const], emergency: true }
const LONG = 'x'.repeat(255)

const answering =
  (verdict: Verdict): Authorize =>
  () =>
    verdict

const asked = (stage: 'exchange' | 'issue', scope?: string) =>
  ({ scope, stage }) as AuthorizationRequest

/** Returns a verdict with its lists in one order. */
function sorted(verdict: unknown): unknown {
  if (typeof verdict !== 'object') return verdict
  const members = Object.entries(Object(verdict))
  return Object.fromEntries(
    members.map(([name, value]) => [name, Array.isArray(value) ? value.toSorted() : value]),
  )
}

const JOINED: ReadonlyArray<
  [what: string, scope: string | undefined, expected: Verdict, ...verdicts: Verdict[]]
> = [
  ['allow what all of them allow', BOTH, READ, true, READ, true],
  ['allow all where none of them limits it', undefined, true, true],
  [
    'leave the shortest life of the access token',
    BOTH,
    { ...READ, accessTokenTtl: 30 },
    ...[{ accessTokenTtl: 60 }, READ, { accessTokenTtl: 30 }, true],
  ],
  ['intersect scopes, and widen none', BOTH, READ, READ, { scope: BOTH }],
  ['refuse where scopes have nothing in common', BOTH, false, READ, { scope: 'orders:write' }],
  ['refuse where one of them leaves nothing', BOTH, false, { scope: '' }, READ],
  ['refuse where one leaves nothing of all', BOTH, false, { scope: '' }, true],
  [
    'refuse where one refuses, whatever the others need and permit',
    BOTH,
    false,
    ...[{ ...SECOND }, { permit: 'p1', review: 'late' }, false],
  ],
  [
    'keep every review once, the shortest first',
    BOTH,
    { review: 'emergency; It is night' },
    ...[NIGHT, EMERGENCY, NIGHT],
  ],
  [
    'cut no emergency off by a long review',
    BOTH,
    { review: `emergency; ${'x'.repeat(244)}` },
    ...[{ review: LONG }, EMERGENCY],
  ],
  ['keep what one needs', BOTH, SECOND, SECOND, true],
  [
    'unite needs, and allow an emergency only where each of them does',
    BOTH,
    { needs: ['second_person', 'user'], emergency: false },
    ...[SECOND, { needs: ['user' as const] }],
  ],
  [
    'keep all permits',
    BOTH,
    { permit: ['p1', 'p2'], review: 'late; later' },
    ...[{ permit: 'p1' }, { review: 'late' }, { permit: 'p2', review: 'later' }],
  ],
  ['keep a permit once', BOTH, { permit: 'p1' }, { permit: 'p1' }, { permit: ['p1'] }],
]

describe('allOf: several rules', () => {
  for (const [what, scope, expected, ...verdicts] of JOINED) {
    it(`${what}, in any order and at both stages`, async () => {
      for (const stage of ['issue', 'exchange'] as const) {
        for (const rules of [verdicts, verdicts.toReversed()].map((all) => all.map(answering))) {
          expect(sorted(await allOf(...rules)(asked(stage, scope)))).to.deep.equal(expected)
        }
      }
    })
  }

  it('each see what the others left, and at issue may bound a request that named no scope', async () => {
    const seen: unknown[] = []
    const noting: Authorize = ({ scope }) => seen.push(scope) > 0
    await allOf(noting, answering(READ), noting)(asked('issue', BOTH))
    expect(seen).to.deep.equal([BOTH, 'orders:read'])
    expect(await allOf(answering(READ))(asked('issue'))).to.deep.equal(READ)
  })

  it('I9: fail where one of them answers no verdict, wherever it stands', async () => {
    for (const wrong of [undefined, 'yes', {}, { accessTokenTtl: null }]) {
      const mistaken = answering(wrong as never)
      for (const rules of [[mistaken], [mistaken, answering(true)], [answering(true), mistaken]]) {
        const failure = await Promise.resolve(allOf(...rules)(asked('issue', BOTH))).catch(
          (error: unknown) => error,
        )
        expect(failure, JSON.stringify(wrong)).to.be.instanceOf(TypeError)
      }
    }
  })

  it('are at least one, and functions', () => {
    expect(() => allOf()).to.throw(TypeError, 'at least one rule')
    expect(() => allOf(answering(true), true as never)).to.throw(TypeError, 'each a function')
  })
})
