import { inspect } from 'node:util'
import { expect } from 'chai'
import {
  type AuthorizationRequest,
  type Authorize,
  allOf,
  errors,
  TooManyRequests,
  type Verdict,
} from '../../src/index.ts'
import { permissionFor } from '../../src/policy/authorize.ts'

const BOTH = 'orders:read orders:write'

function permission(
  verdict: unknown,
  asked: { stage: 'exchange' | 'issue'; scope?: string },
): Promise<unknown> {
  const authorize: Authorize = () => verdict as Verdict
  return Promise.resolve(permissionFor(authorize, asked as AuthorizationRequest))
}

/** The error of a promise that has to reject. */
async function refusalOf(answer: Promise<unknown>): Promise<Error & { statusCode?: number }> {
  const answered = await answer.then(inspect, (error: unknown) => error)
  if (answered instanceof Error) return answered
  throw new Error(`permitted: ${answered}`)
}

describe('the permission that a verdict is', () => {
  const permitted: Array<[verdict: Verdict, asked: string | undefined, permission: object]> = [
    [true, BOTH, { scope: BOTH }],
    [true, undefined, { scope: undefined }],
    [{ scope: 'orders:read' }, BOTH, { scope: 'orders:read' }],
    [{ scope: ' orders:read  orders:read ' }, BOTH, { scope: 'orders:read' }],
    [{ accessTokenTtl: 60 }, BOTH, { scope: BOTH, accessTokenTtl: 60 }],
    [{ permit: 'p1', review: 'late' }, BOTH, { scope: BOTH, permit: 'p1', review: 'late' }],
    [{ permit: ['p1', 'p1', 'p2'] }, BOTH, { scope: BOTH, permit: ['p1', 'p2'] }],
  ]
  for (const [verdict, scope, expected] of permitted) {
    it(`${inspect(verdict)} of ${scope ?? 'no scope'}: ${inspect(expected)}`, async () => {
      for (const stage of ['issue', 'exchange'] as const) {
        const asked = scope === undefined ? { stage } : { stage, scope }
        expect(await permission(verdict, asked)).to.deep.equal(expected)
      }
    })
  }

  it('at issue, a scope bounds a request that named none, and an empty one allows nothing', async () => {
    const of = (scope: string) => permission({ scope }, { stage: 'issue' })
    expect(await of('orders:read')).to.deep.equal({ scope: 'orders:read' })
    expect(await of('')).to.deep.equal({ scope: '' })
  })

  it('TooManyRequests that a rule throws is 429 at both stages, with a number, whatever the rule changed; every other throw is a failure', async () => {
    const changed = { statusCode: 200, error: 'ok', retryAfter: 'x\r\ny: z' }
    const busy = { statusCode: 429, error: 'temporarily_unavailable' }
    for (const [error, expected] of [
      [new TooManyRequests(8.5), { ...busy, retryAfter: 9 }],
      [Object.assign(new TooManyRequests(2), changed), { ...busy, retryAfter: 1 }],
      [new errors.AccessDenied(), {}],
      [new Error('down'), {}],
    ] as const) {
      for (const stage of ['issue', 'exchange'] as const) {
        const rule: Authorize = () => Promise.reject(error)
        const asked = { stage } as AuthorizationRequest
        const refusal = await refusalOf(Promise.resolve(permissionFor(allOf(rule), asked)))
        expect(refusal).to.include(expected)
        expect('statusCode' in refusal).to.equal('statusCode' in expected)
      }
    }
    const given = [8.5, 9, 0, -1, Number.NaN, 1e30, Number.POSITIVE_INFINITY]
    const seconds = given.map((each) => new TooManyRequests(each).retryAfter)
    expect(seconds).to.deep.equal([9, 9, 1, 1, 1, 2 ** 31, 2 ** 31])
  })

  it('false is access_denied at both stages', async () => {
    for (const stage of ['issue', 'exchange'] as const) {
      expect(await refusalOf(permission(false, { stage }))).to.be.instanceOf(errors.AccessDenied)
    }
  })

  it('needs are approval_required at issue, in one order, and access_denied at the exchange', async () => {
    const verdict = { needs: ['user', 'second_person'], emergency: true }
    const approval = { by: ['second_person', 'user'], emergency: true }
    const atIssue = await refusalOf(permission(verdict, { stage: 'issue' }))
    expect(atIssue).to.deep.include({ statusCode: 403, approval })
    const atExchange = await refusalOf(permission(verdict, { stage: 'exchange' }))
    expect(atExchange).to.be.instanceOf(errors.AccessDenied)
  })

  const wrong: unknown[] = [
    ...[undefined, null, 1, 'yes', [], [{ accessTokenTtl: 60 }], {}, { scop: 'orders:read' }],
    ...[0, -1, 1.5, Number.NaN, Infinity, 2 ** 53, '60', null, true, [60], 60n, undefined].map(
      (accessTokenTtl) => ({ accessTokenTtl }),
    ),
    { scope: `${BOTH} openid` },
    { scope: ['orders:read'] },
    { scope: 'orders:read', accessTokenTtl: 0 },
    { scope: null, accessTokenTtl: 60 },
    { scope: undefined, accessTokenTtl: 60 },
    { scope: 'orders:read', accessTokenTTL: 60 },
    new (class {
      accessTokenTtl = 60
    })(),
    Object.create({ accessTokenTtl: 60 }),
    ...[[], ['lead'], 'user'].map((needs) => ({ needs })),
    { emergency: true },
    { needs: ['user'], emergency: 'yes' },
    // No filter takes the last of these: such a permit could not be revoked.
    ...['', 7, 'x'.repeat(256), [], ['p1', ''], 'p\uD800'].map((permit) => ({ permit })),
    { permit: Array.from({ length: 17 }, (_, n) => `p${n}`) },
    ...['a\nb', undefined].map((review) => ({ review })),
    { constructor: 1 },
  ]
  for (const verdict of wrong) {
    it(`I9: ${inspect(verdict).slice(0, 60)} is none: a TypeError that names the option`, async () => {
      for (const stage of ['issue', 'exchange'] as const) {
        const refusal = await refusalOf(permission(verdict, { stage, scope: BOTH }))
        expect(refusal.message).to.match(/^features\.impersonation\.authorize failed/)
        expect(refusal.cause).to.be.instanceOf(TypeError)
        expect(String(refusal.cause)).to.include('features.impersonation.authorize')
      }
    })
  }
})
