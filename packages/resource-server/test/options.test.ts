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
    for (const options of [undefined, { audience }, { audience, jwksUri: issuer }]) {
      expect(build(options)).to.throw(TypeError, 'resourceServer.issuer is required')
    }
    for (const options of [{ issuer }, { issuer, audience: process.env.NOT_SET }]) {
      expect(build(options)).to.throw(TypeError, 'resourceServer.audience is required')
    }
  })

  /** By the message: the values of an option. */
  const wrong: Record<string, [option: string, ...values: unknown[]]> = {
    'audiance is not a known option; known are: issuer, au': ['audiance', audience],
    'audience must be a non-empty string': ['audience', '', ' ', [audience], null],
    'issuer must be an absolute http or https URL': [
      'issuer',
      ...[[issuer], '', 'id.example.com', '/oidc', 'ftp://id.example.com', 'https://'],
      ...[`${issuer}#x`, ` ${issuer}`, 'https://id.\nexample.com', 'https://user@id.example.com'],
    ],
    'issuer must not have a query': ['issuer', `${issuer}?x`],
    'jwksUri must be an absolute http or https URL': ['jwksUri', '/jwks', new URL(issuer)],
    'algorithms must name at least one': ['algorithms', []],
    'algorithms must be an array of: RS256': [
      'algorithms',
      ...['ES256', ['none'], ['ES256', 'HS256'], [undefined]],
    ],
    'clockTolerance must be an integer from 0 to 300': ['clockTolerance', -1, 301, 1.5, '5'],
    'onImpersonatedRequest must be a function': ['onImpersonatedRequest', 'log'],
    'mTLS.getCertificate is required': ['mTLS', {}],
    'mTLS.getCertificate must be a function': ['mTLS', { getCertificate: 'x' }],
    'dPoP must be an object': ['dPoP', true],
    'dPoP.baseUrl is required, or resourceServer.dPoP.getUrl': [
      'dPoP',
      ...[{}, { baseUrl: undefined }, { ...dPoP, getUrl }],
    ],
    'dPoP.baseUrl must be an absolute': ['dPoP', { baseUrl: '/api' }],
    'dPoP.baseUrl must not have a query': ['dPoP', { baseUrl: `${audience}?x` }],
    'dPoP.getUrl must be a function': ['dPoP', { getUrl: audience }],
    'dPoP.algorithms must be an array of': ['dPoP', { ...dPoP, algorithms: ['HS256'] }],
    'dPoP.maxAge must be an integer from 1 to 300': [
      'dPoP',
      ...[0, 301].map((maxAge) => ({ ...dPoP, maxAge })),
    ],
    'dPoP.replayStore must be an object': ['dPoP', { ...dPoP, replayStore: new Set() }],
    'dPoP.nonce is not a known option': ['dPoP', { ...dPoP, nonce: true }],
  }
  for (const [message, [option, ...values]] of Object.entries(wrong)) {
    it(`refuses the others: ${message}`, () => {
      for (const value of values) {
        const made = build({ issuer, audience, [option]: value })
        expect(made, JSON.stringify(value)).to.throw(TypeError, `resourceServer.${message}`)
      }
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
