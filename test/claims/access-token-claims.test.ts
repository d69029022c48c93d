import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { recording } from '../support/audit.ts'
import { deployWith, exchange } from '../support/claims-hook.ts'
import type { DeploymentOptions } from '../support/deployment.ts'
import { apiToken } from '../support/jwts.ts'
import {
  claimsOf,
  customizing,
  extraTokenClaims,
  impersonated,
  MARKED_JTI,
} from '../support/own-hooks.ts'

const forged = { sub: 'mallory' }
const FORGED = {
  act: forged,
  may_act: forged,
  sub: 'bob',
  aud: 'https://elsewhere.example',
  iss: 'https://elsewhere.example',
  exp: 9999999999,
  nbf: 1,
  iat: 1,
  jti: 'x',
  scope: 'everything',
  client_id: 'mallory',
  cnf: { jkt: 'x' },
  sid: 'x',
  op_grant_id: 'x',
  authorization_details: [],
  active: true,
  token_type: 'x',
  username: 'bob',
  status: { status_list: { idx: 0, uri: 'x' } },
  impersonation_id: 'x',
}
/** Members that a late write forges. */
const LATE = { act: forged, jti: 'x', status: 1 }

/** Runs in many microtasks after this one. */
async function later(write: () => unknown): Promise<void> {
  for (let count = 0; count < 200; count += 1) {
    await Promise.resolve()
    write()
  }
}

const accessorOf = (payload: object, configurable: boolean) => ({
  configurable,
  get: () => ({ ...payload, act: forged }),
  set: () => {},
})
const hidden = (value: unknown) => ({ enumerable: true, get: () => value, set: () => {} })

/** With an `extraTokenClaims` of users' tokens. */
const byClaims = (own: (token: object) => object | undefined) =>
  extraTokenClaims((token) =>
    Reflect.get(token, 'kind') === 'AccessToken' ? own(token) : undefined,
  )
/** Writes to impersonated tokens alone: another one is the deployment's to change. */
const ifExchanged = (write: (token: object) => unknown) => (token: object) => {
  if (Reflect.get(token, 'gty') === TOKEN_EXCHANGE_GRANT_TYPE) write(token)
}
const byTtl = (write: (token: object) => unknown): DeploymentOptions => ({
  configuration: {
    ttl: {
      AccessToken(_ctx, token) {
        ifExchanged(write)(token)
        return 900
      },
    },
  },
})
const REWRITTEN = { jti: 'x', gty: 'refresh_token', scope: 'admin', accountId: 'bob' }

const TRICKS: Record<string, DeploymentOptions> = {
  'claims of every name, by extraTokenClaims and the hook': {
    ...byClaims(() => FORGED),
    impersonation: {
      getCustomJwtClaims: ({ token }) => (token.sub === 'backend' ? {} : FORGED),
    },
  },
  'claims of every name, by a JWT customizer': customizing((_ctx, _token, { payload }) =>
    Object.assign(payload, { act: forged, jti: 'x', status: 1, exp: FORGED.exp }),
  ),
  'claims with an inherited prototype': byClaims(() =>
    Object.assign(Object.create({ deployment: 'eu' }), { act: forged }),
  ),
  'a toJSON in claims': byClaims(() => ({ toJSON: () => ({ sub: 'bob', act: forged }) })),
  'an accessor in the payload': customizing((_ctx, _token, { payload }) =>
    Object.defineProperty(payload, 'act', { ...hidden(forged), configurable: true }),
  ),
  'an accessor on jwt.payload': customizing((_ctx, _token, jwt) =>
    Object.defineProperty(jwt, 'payload', accessorOf(jwt.payload, true)),
  ),
  'an accessor on jwt.payload, for good': customizing((_ctx, _token, jwt) =>
    Object.defineProperty(jwt, 'payload', accessorOf(jwt.payload, false)),
  ),
  'writing to jwt.payload in later microtasks and turns': customizing((_ctx, _token, jwt) => {
    const write = () => Object.assign(jwt.payload, LATE)
    void later(write)
    setImmediate(write)
    process.nextTick(write)
  }),
  'assigning jwt.payload in later microtasks': customizing((_ctx, _token, jwt) => {
    const { payload } = jwt
    void later(() => Object.assign(jwt, { payload: { ...payload, act: forged } }))
  }),
  'freezing jwt with a forged payload': customizing((_ctx, _token, jwt) => {
    jwt.payload = { ...jwt.payload, ...LATE }
    Object.freeze(jwt)
  }),
  'a hidden toJSON in the payload, after a turn': customizing(async (_ctx, _token, jwt) => {
    await turn()
    const { payload } = jwt
    Object.defineProperty(payload, 'toJSON', { value: () => ({ ...payload, ...LATE }) })
  }),
  'a JWT customizer that drops payload.jti': customizing((_ctx, _token, jwt) => {
    const { jti: _, ...payload } = jwt.payload
    jwt.payload = payload
  }),
  'a JWT customizer that writes to the token': customizing((_ctx, token) =>
    ifExchanged((it) => Object.assign(it, { jti: 'x' }))(token),
  ),
  'extraTokenClaims that writes to the token': byClaims((token) => {
    const more = { emit: 'none', expiresIn: 31_536_000 }
    ifExchanged((it) => Object.assign(it, REWRITTEN, more, { kind: Symbol('x') }))(token)
    return { region: 'eu' }
  }),
  'extraTokenClaims that makes token.jti an accessor': byClaims((token) => {
    ifExchanged((it) => Object.defineProperty(it, 'jti', hidden('x')))(token)
    return undefined
  }),
  'extraTokenClaims that writes to stored claims in later microtasks': byClaims((token) => {
    void later(() => {
      const extra = Object('extra' in token ? token.extra : undefined)
      delete extra.impersonation_id
      Object.assign(extra, { act: forged, toJSON: () => ({ act: forged }) })
    })
    return { region: 'eu' }
  }),
  'ttl.AccessToken that makes members of the token accessors': byTtl((token) =>
    Object.defineProperties(token, {
      jti: hidden('x'),
      gty: hidden('refresh_token'),
      exp: hidden(4e9),
    }),
  ),
  'ttl.AccessToken that writes to the token': byTtl((token) =>
    Object.assign(token, REWRITTEN, { exp: 4e9 }),
  ),
}

describe('claims of an access token', () => {
  for (const [what, options] of Object.entries(TRICKS)) {
    it(`I3, I4, I8: ${what}: the user, actor, marks and life of an impersonated token stay the provider's, and no token has a forged act`, async () => {
      await using deployment = await recording(options)
      const { provider, orders, base } = deployment
      const scope = 'openid orders:read'
      const others = [
        await deployment.m2mToken(),
        await apiToken(deployment, 'alice'),
        await apiToken(deployment, 'alice', { resource: `${base}/opaque` }),
      ].map((token) => claimsOf(deployment, token))
      for (const claims of await Promise.all(others)) expect(claims).to.not.have.property('act')
      const operator = await deployment.actorToken()
      const told: string[] = []
      provider.on('access_token.issued', () => told.push('JWT'))
      provider.on('access_token.saved', () => told.push('opaque'))
      for (const [resource, format] of [
        [orders, 'JWT'],
        [`${base}/opaque`, 'opaque'],
      ] as const) {
        for (const actor of [undefined, operator]) {
          const form = { scope, resource, ...(actor ? { actor_token: actor } : {}) }
          told.length = 0
          const { token, claims } = await impersonated(deployment, form)
          expect(told).to.deep.equal([format])
          expect(claims.act).to.deep.equal(actor ? { sub: 'olivia' } : undefined)
          const { issuer: iss } = deployment
          expect(claims).to.deep.include({
            ...{ sub: 'alice', aud: resource, iss, client_id: 'console', scope },
          })
          const invented = ['may_act', 'nbf', 'cnf', 'sid', 'op_grant_id', 'username']
          expect(claims).to.not.have.any.keys(...invented, 'authorization_details')
          const started = (await deployment.recorded()).findLast(({ name }) =>
            name.endsWith('started'),
          )
          const life = Number(claims.exp) - Number(claims.iat)
          if (format === 'JWT') {
            expect(claims).to.not.have.any.keys('impersonation_id', 'active', 'token_type')
            expect(claims.jti).to.match(MARKED_JTI).and.equal(started?.jti)
            const { uri } = Object(Object(claims.status).status_list)
            expect([life, uri.startsWith(`${iss}/status-lists/`)]).to.deep.equal([900, true])
          } else {
            expect(token).to.match(/^[\w-]{43}$/)
            expect(claims).to.not.have.property('status')
            expect(claims.impersonation_id).to.equal(started?.id)
            expect(life).to.be.at.most(3600)
          }
          const laundered = await deployment.exchange({
            subject_token: await deployment.subjectToken({ userId: 'bob' }),
            actor_token: token,
          })
          expect(laundered.body.error_description).to.equal('actor token is invalid')
        }
      }
    })
  }

  it('I4: nor can the client, by any form field', async () => {
    await using deployment = await deployWith(async () => ({}))
    const act = JSON.stringify(forged)
    const context = { act: forged, actor: 'mallory' }
    const { body } = await exchange(deployment, context, { act, actor: act })
    expect(decodeJwt(body.access_token)).to.not.have.property('act')
  })

  it("the deployment's own extraTokenClaims still runs, and the hook comes after it", async () => {
    await using deployment = await deployWith(async () => ({ both: 'hook', hook: 1 }), {
      configuration: { extraTokenClaims: async () => ({ both: 'own', own: 1 }) },
    })
    const { body } = await exchange(deployment)
    expect(decodeJwt(body.access_token)).to.include({ both: 'hook', hook: 1, own: 1 })
  })

  it('authorize that changes what it gets: the token is for the user and client of the audit', async () => {
    await using deployment = await recording({
      impersonation: {
        async authorize({ stage, account, ctx }) {
          Object.assign(account, { accountId: 'bob' })
          const other = await deployment.provider.Client.find('web')
          if (stage === 'exchange') ctx.oidc.entity('Client', other)
          return true
        },
      },
    })
    const { claims } = await impersonated(deployment)
    const { userId, client } = (await deployment.recorded()).at(-1) ?? {}
    const facts = [claims.sub, claims.client_id, userId, client]
    expect(facts).to.deep.equal(['alice', 'console', 'alice', 'console'])
  })
})
