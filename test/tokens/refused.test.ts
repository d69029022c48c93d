import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { signCheckpoint } from '../../src/siblings/index.ts'
import { signingKey } from '../support/deployment.ts'
import { ACTOR_REFUSED, type Answer, expectAnswer, REFUSED } from '../support/http.ts'
import { apiToken, resigned } from '../support/jwts.ts'
import { type Managed, managing } from '../support/managing.ts'
import { signIn } from '../support/sign-in.ts'

const DOORS = ['issue', 'list', 'actor', 'subject', 'current', 'end of current'] as const
type Door = (typeof DOORS)[number]
/** The doors that take a JWT access token, each of another kind. */
const JWT_DOORS = ['issue', 'actor', 'current'] as const
type JwtDoor = (typeof JWT_DOORS)[number]

describe('I3: a token is good at its own door alone', () => {
  let deployment: Managed
  /** A good JWT for each of {@link JWT_DOORS}. */
  let good: Record<JwtDoor, string>
  let opaqueCurrent: string
  /** Is presented again and again with a wrong actor token, and stays usable. */
  let subject_token: string

  before(async () => {
    deployment = await managing()
    const { token } = await deployment.impersonate()
    good = { issue: deployment.token, actor: await apiToken(deployment), current: token }
    const opaque = { resource: `${deployment.base}/opaque` }
    opaqueCurrent = (await deployment.impersonate(opaque)).token
    subject_token = await fresh()
  })
  // The refusals in between used nothing up, and ended nothing.
  after(async () => {
    for (const token of [good.current, opaqueCurrent]) {
      expect((await present.current(token)).body.state).to.equal('active')
    }
    await expectAnswer(present.actor(good.actor), 200)
    await expectAnswer(present.issue(good.issue), 201)
    deployment.expectNoErrors()
    await deployment.close()
  })

  const fresh = async () => (await deployment.start()).subjectToken

  const present: Record<Door, (token: string) => Promise<Answer>> = {
    issue: (token) => deployment.issueBy(token),
    list: (token) => deployment.get('', { token }),
    actor: (actor_token) => deployment.exchange({ subject_token, actor_token }),
    subject: (token) => deployment.exchange({ subject_token: token }),
    current: (token) => deployment.current(token),
    'end of current': (token) => deployment.endCurrent(token),
  }

  async function expectRefused(token: string, doors: readonly Door[]): Promise<void> {
    for (const door of doors) {
      const answer = present[door](token)
      if (door === 'actor') await expectAnswer(answer, 400, ACTOR_REFUSED)
      else if (door === 'subject') await expectAnswer(answer, 400, REFUSED)
      else {
        const { body, headers } = await expectAnswer(answer, 401, 'invalid_token', door)
        expect(body, door).to.have.all.keys('error', 'error_description')
        expect(headers.get('www-authenticate'), door).to.match(
          /^Bearer realm="[^"]+", error="invalid_token"/,
        )
        expect(JSON.stringify([body, ...headers]), door).to.not.include(token)
      }
    }
  }

  async function expectForged(
    doors: readonly JwtDoor[],
    changes: object,
    header?: Record<string, unknown>,
    key?: Parameters<typeof resigned>[3],
  ): Promise<void> {
    for (const door of doors) {
      const token = await resigned(good[door], changes, header, key)
      await expectRefused(token, door === 'current' ? ['current', 'end of current'] : [door])
    }
  }

  it('signed again by the provider, each is good: what follows changes one thing each', async () => {
    await expectAnswer(present.issue(await resigned(good.issue)), 201)
    await expectAnswer(present.current(await resigned(good.current)), 200)
    const actor_token = await resigned(good.actor)
    const form = { subject_token: await fresh(), actor_token }
    await expectAnswer(deployment.exchange(form), 200)
  })

  const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = foreign.publicKey.export({ format: 'jwk' })
  const everybodyKnows = createPublicKey({ key: signingKey as JsonWebKey, format: 'jwk' })
  const now = Math.floor(Date.now() / 1000)
  const bound = { jkt: 'x'.repeat(43) }
  const forgeries: Array<[what: string, changes: object, doors?: readonly JwtDoor[]]> = [
    ['expired', { exp: now - 1 }],
    ['without exp', { exp: undefined }, ['issue', 'actor']],
    ['without iss', { iss: undefined }],
    ['of another issuer, with the same keys', { iss: 'https://elsewhere.example' }],
    ['of a client that is gone', { client_id: 'gone' }],
    ['of another client', { client_id: 'console' }, ['issue']],
    ['of a client whose grant it is not', { client_id: 'plain' }, ['actor']],
    ['of a person whose grant it is not', { sub: 'bob' }, ['actor']],
    ['of a person', { sub: 'alice' }, ['issue']],
    ['of a client itself', { sub: 'console' }, ['current']],
    ['for another audience', { aud: 'https://elsewhere.example' }, ['issue']],
    ['for several audiences', { aud: ['https://id.example.com/api', 'https://x'] }, ['issue']],
    ['without aud', { aud: undefined }, ['issue', 'actor']],
    ...['sub', 'jti', 'client_id', 'aud', 'iat'].map((name): [string, object, ['issue']] => [
      `with a ${name} of the wrong type`,
      { [name]: { x: 1 } },
      ['issue'],
    ]),
    ...['sub', 'jti', 'client_id', 'iat'].map((name): [string, object, ['issue']] => [
      `without ${name}`,
      { [name]: undefined },
      ['issue'],
    ]),
    ['with a sub that is no text', { sub: 7 }, ['actor']],
    ['with a scope that is no text', { scope: ['openid'] }, ['actor']],
    ['with openid as a part of a scope', { scope: 'openid2 xopenid' }, ['actor']],
    ['without the mark', { jti: 'x' }, ['current']],
    ['of no impersonation', { jti: `impersonation:${'A'.repeat(43)}` }, ['current']],
    ['of an empty id', { jti: 'impersonation:' }, ['current']],
    ['I10: bound to a key, without a proof', { cnf: bound }],
    ...[
      { jkt: 'x' },
      { 'x5t#S256': 'x' },
      { kid: 'x' },
      { ...bound, kid: 'x' },
      { ...bound, 'x5t#S256': 7 },
      ...[null, 'x', 7, [], {}],
    ].map((cnf): [string, object, ['issue', 'actor']] => [
      `I10: bound by ${JSON.stringify(cnf)}`,
      { cnf },
      ['issue', 'actor'],
    ]),
  ]
  for (const [what, changes, doors = JWT_DOORS] of forgeries) {
    it(what, () => expectForged(doors, changes))
  }

  const headers: Array<[what: string, header: object, key?: Parameters<typeof resigned>[3]]> = [
    ['typ JWT, as an ID token has it', { typ: 'JWT' }],
    ['a foreign key under our kid', {}, foreign.privateKey],
    ['a foreign key without a kid', { kid: undefined }, foreign.privateKey],
    ['the key in the header', { kid: undefined, jwk }, foreign.privateKey],
    ['the address of the key', { jku: 'https://elsewhere.example/jwks' }, foreign.privateKey],
    ...[
      everybodyKnows.export({ type: 'spki', format: 'pem' }),
      everybodyKnows.export({ type: 'spki', format: 'der' }),
      JSON.stringify(everybodyKnows.export({ format: 'jwk' })),
      Buffer.from(String(signingKey.x), 'base64url'),
    ].map((secret): [string, object, Buffer] => [
      'CVE-2026-11800 (Keycloak): HS256 with what everybody knows of the key',
      { alg: 'HS256' },
      Buffer.from(secret),
    ]),
  ]
  for (const [what, header, key] of headers) {
    it(what, () => expectForged(JWT_DOORS, {}, { ...header }, key))
  }

  it('CVE-2026-11800 (Keycloak): alg none in every spelling, and a critical header', async () => {
    const none = ['none', 'None', 'NONE', '', null].map((alg) => ({ alg }))
    for (const header of [...none, { alg: 'ES256', crit: ['exp'], exp: 1 }]) {
      const full = JSON.stringify({ typ: 'at+jwt', kid: 'test', ...header })
      const encoded = Buffer.from(full).toString('base64url')
      for (const door of JWT_DOORS) {
        const [, payload, signature] = good[door].split('.')
        for (const last of [signature, '']) {
          await expectRefused(`${encoded}.${payload}.${last}`, [door])
        }
      }
    }
  })

  it('no other token, code or id of a record, whatever it is good for', async () => {
    const { provider } = deployment
    const ids: string[] = []
    provider.on('grant.saved', ({ jti }) => ids.push(jti))
    provider.on('session.saved', ({ jti, uid }) => ids.push(jti, uid))
    const person = await signIn(deployment, 'olivia', { scope: 'openid offline_access' })
    const elsewhere = { resource: deployment.orders, scope: 'openid orders:read' }
    const kinds: Array<[token: string | undefined, ...own: Door[]]> = [
      ['garbage'],
      ['a.b.c'],
      [person.id_token],
      [person.refresh_token],
      [person.code],
      [await new provider.InitialAccessToken({}).save()],
      ...ids.map((id): [string] => [id]),
      [await deployment.m2mToken(elsewhere)],
      [await deployment.m2mToken({ ...elsewhere, resource: `${deployment.base}/opaque` })],
      [await apiToken(deployment, 'olivia', { scope: 'orders:read' })],
      [person.access_token, 'actor'],
      [good.actor, 'actor'],
      [good.issue, 'issue', 'list'],
      [good.current, 'current', 'end of current'],
      [opaqueCurrent, 'current', 'end of current'],
      [subject_token, 'subject'],
    ]
    const aud = [deployment.orders, deployment.management, 'console', deployment.issuer]
    const claims = { ...decodeJwt(good.actor), iss: deployment.issuer, aud, exp: 4e9 }
    kinds.push([await signCheckpoint(provider, claims)])
    expect(ids).to.have.length.at.least(3)
    for (const [token, ...own] of kinds) {
      expect(token).to.be.a('string').that.is.not.empty
      await expectRefused(
        String(token),
        DOORS.filter((door) => !own.includes(door)),
      )
    }
  })

  it('an impersonated one with the scope and the account of an operator is no actor token', async () => {
    deployment.accounts.add('alice')
    for (const resource of [deployment.orders, `${deployment.base}/opaque`]) {
      for (const actor_token of [undefined, good.actor]) {
        const form = { resource, scope: 'openid orders:read', actor_token }
        const exchanged = { subject_token: await fresh(), ...form }
        const { body } = await deployment.exchange(exchanged)
        expect(body.scope).to.include('openid')
        await expectRefused(body.access_token, ['actor', 'subject', 'issue', 'list'])
      }
    }
  })

  it('a good one in a body or a query is none', async () => {
    const path = '/oidc/impersonations/current/end'
    const access_token = good.current
    await expectAnswer(deployment.post(path, { access_token }), 401)
    await expectAnswer(deployment.post(`${path}?access_token=${access_token}`, {}), 401)
  })
})
