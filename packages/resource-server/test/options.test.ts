import { expect } from 'chai'
import { type ResourceServerOptions, resourceServer } from '../src/index.ts'

const issuer = 'https://id.example.com/oidc'
const audience = 'https://api.example.com'
const dPoP = { baseUrl: audience }
const getUrl = () => audience

describe('the options of a resource server', () => {
  /** As JavaScript does: without the types in the way. */
  const build = (options: unknown) => () => resourceServer(options as ResourceServerOptions)

  it('an unset audience or issuer does not start: it would accept tokens for anything', () => {
    expect(build(undefined)).to.throw(TypeError, 'resourceServer.issuer is required')
    expect(build({ audience })).to.throw(TypeError, 'resourceServer.issuer is required')
    expect(build({ audience, jwksUri: issuer })).to.throw(TypeError, 'issuer is required')
    expect(build({ issuer })).to.throw(TypeError, 'resourceServer.audience is required')
    expect(build({ issuer, audience: process.env.NOT_SET })).to.throw(TypeError, 'audience is req')
  })

  const cases: Array<[options: Record<string, unknown>, message: string]> = [
    [
      { audiance: audience },
      'resourceServer.audiance is not a known option; known are: issuer, au',
    ],
    [{ audience: '' }, 'resourceServer.audience must be a non-empty string'],
    [{ audience: ' ' }, 'resourceServer.audience must be a non-empty string'],
    [{ audience: [audience] }, 'resourceServer.audience must be a non-empty string'],
    [{ audience: null }, 'resourceServer.audience must be a non-empty string'],
    [{ issuer: [issuer] }, 'resourceServer.issuer must be an absolute http or https URL'],
    [{ issuer: '' }, 'resourceServer.issuer must be an absolute http or https URL'],
    [{ issuer: 'id.example.com' }, 'resourceServer.issuer must be an absolute'],
    [{ issuer: '/oidc' }, 'resourceServer.issuer must be an absolute'],
    [{ issuer: 'ftp://id.example.com' }, 'resourceServer.issuer must be an absolute'],
    [{ issuer: 'https://' }, 'resourceServer.issuer must be an absolute'],
    [{ issuer: 'https://id.example.com:port' }, 'resourceServer.issuer must be an absolute'],
    [{ issuer: `${issuer}#x` }, 'resourceServer.issuer must be an absolute'],
    [{ issuer: ` ${issuer}` }, 'resourceServer.issuer must be an absolute'],
    [{ issuer: `${issuer}\n` }, 'resourceServer.issuer must be an absolute'],
    [{ issuer: 'https://id.\nexample.com' }, 'resourceServer.issuer must be an absolute'],
    [{ issuer: 'https://user@id.example.com' }, 'resourceServer.issuer must be an absolute'],
    [{ issuer: `${issuer}?x` }, 'resourceServer.issuer must not have a query'],
    [{ jwksUri: '/jwks' }, 'resourceServer.jwksUri must be an absolute http or https URL'],
    [{ jwksUri: new URL(issuer) }, 'resourceServer.jwksUri must be an absolute'],
    [{ algorithms: [] }, 'resourceServer.algorithms must name at least one'],
    [{ algorithms: 'ES256' }, 'resourceServer.algorithms must be an array of: RS256, ES256'],
    [{ algorithms: ['none'] }, 'resourceServer.algorithms must be an array of: RS256'],
    [{ algorithms: ['ES256', 'HS256'] }, 'resourceServer.algorithms must be an array of: RS256'],
    [{ algorithms: [undefined] }, 'resourceServer.algorithms must be an array of: RS256'],
    [{ clockTolerance: -1 }, 'resourceServer.clockTolerance must be an integer from 0 to 300'],
    [{ clockTolerance: 301 }, 'resourceServer.clockTolerance must be an integer from 0 to 300'],
    [{ clockTolerance: 1.5 }, 'resourceServer.clockTolerance must be an integer'],
    [{ clockTolerance: '5' }, 'resourceServer.clockTolerance must be an integer'],
    [{ dPoP: true }, 'resourceServer.dPoP must be an object'],
    [{ dpop: dPoP }, 'resourceServer.dpop is not a known option'],
    [{ dPoP: {} }, 'resourceServer.dPoP.baseUrl is required, or resourceServer.dPoP.getUrl'],
    [{ dPoP: { baseUrl: undefined } }, 'resourceServer.dPoP.baseUrl is required'],
    [{ dPoP: { ...dPoP, getUrl } }, 'resourceServer.dPoP.baseUrl is required, or'],
    [{ dPoP: { baseUrl: '/api' } }, 'resourceServer.dPoP.baseUrl must be an absolute'],
    [{ dPoP: { baseUrl: `${audience}?x` } }, 'resourceServer.dPoP.baseUrl must not have a query'],
    [{ dPoP: { getUrl: audience } }, 'resourceServer.dPoP.getUrl must be a function'],
    [{ dPoP: { ...dPoP, algorithms: [] } }, 'resourceServer.dPoP.algorithms must name at least'],
    [{ dPoP: { ...dPoP, algorithms: ['HS256'] } }, 'resourceServer.dPoP.algorithms must be an'],
    [
      { dPoP: { ...dPoP, maxAge: 0 } },
      'resourceServer.dPoP.maxAge must be an integer from 1 to 300',
    ],
    [{ dPoP: { ...dPoP, maxAge: 301 } }, 'resourceServer.dPoP.maxAge must be an integer from 1'],
    [
      { dPoP: { ...dPoP, replayStore: new Set() } },
      'resourceServer.dPoP.replayStore must be an obj',
    ],
    [{ dPoP: { ...dPoP, nonce: true } }, 'resourceServer.dPoP.nonce is not a known option'],
    [{ onImpersonatedRequest: 'log' }, 'resourceServer.onImpersonatedRequest must be a function'],
    [
      { onImpersonatedRequests: () => {} },
      'resourceServer.onImpersonatedRequests is not a known option',
    ],
    [{ mTLS: {} }, 'resourceServer.mTLS.getCertificate is required'],
    [{ mTLS: { getCertificate: 'x' } }, 'resourceServer.mTLS.getCertificate must be a function'],
  ]
  for (const [wrong, message] of cases) {
    it(`${JSON.stringify(wrong)}: ${message}`, () => {
      expect(build({ issuer, audience, ...wrong })).to.throw(TypeError, message)
    })
  }

  it('starts with the bounds of what is allowed, and undefined means absent', () => {
    for (const right of [
      {},
      { issuer: 'http://127.0.0.1:3000' },
      { audience: 'orders' },
      { jwksUri: 'https://id.example.com/jwks?v=2' },
      { clockTolerance: 0, algorithms: ['ML-DSA-87'] },
      { clockTolerance: 300, algorithms: ['RS256', 'PS512'] },
      { jwksUri: undefined, algorithms: undefined, clockTolerance: undefined },
      { dPoP: undefined, mTLS: undefined, onImpersonatedRequest: undefined },
      { onImpersonatedRequest: async () => 'stored' },
      { dPoP: { ...dPoP, maxAge: 1, algorithms: ['PS256'] } },
      { dPoP: { getUrl, maxAge: 300, replayStore: { isFirstUse: () => true } } },
      { mTLS: { getCertificate: () => undefined } },
    ]) {
      expect(build({ issuer, audience, ...right }), JSON.stringify(right)).to.not.throw()
    }
  })
})
