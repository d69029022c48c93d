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

  const wrong: Record<string, object[]> = {
    'audiance is not a known option; known are: issuer, au': [{ audiance: audience }],
    'dpop is not a known option': [{ dpop: dPoP }],
    'onImpersonatedRequests is not a known option': [{ onImpersonatedRequests: () => {} }],
    'audience must be a non-empty string': ['', ' ', [audience], null].map((it) => ({
      audience: it,
    })),
    'issuer must be an absolute http or https URL': [
      [issuer],
      '',
      'id.example.com',
      '/oidc',
      'ftp://id.example.com',
      'https://',
      'https://id.example.com:port',
      `${issuer}#x`,
      ` ${issuer}`,
      `${issuer}\n`,
      'https://id.\nexample.com',
      'https://user@id.example.com',
    ].map((it) => ({ issuer: it })),
    'issuer must not have a query': [{ issuer: `${issuer}?x` }],
    'jwksUri must be an absolute http or https URL': [
      { jwksUri: '/jwks' },
      { jwksUri: new URL(issuer) },
    ],
    'algorithms must name at least one': [{ algorithms: [] }],
    'algorithms must be an array of: RS256': [
      'ES256',
      ['none'],
      ['ES256', 'HS256'],
      [undefined],
    ].map((algorithms) => ({ algorithms })),
    'clockTolerance must be an integer from 0 to 300': [-1, 301, 1.5, '5'].map((it) => ({
      clockTolerance: it,
    })),
    'onImpersonatedRequest must be a function': [{ onImpersonatedRequest: 'log' }],
    'mTLS.getCertificate is required': [{ mTLS: {} }],
    'mTLS.getCertificate must be a function': [{ mTLS: { getCertificate: 'x' } }],
    'dPoP must be an object': [{ dPoP: true }],
  }
  const wrongDPoP: Record<string, object[]> = {
    'baseUrl is required, or resourceServer.dPoP.getUrl': [
      {},
      { baseUrl: undefined },
      { ...dPoP, getUrl },
    ],
    'baseUrl must be an absolute': [{ baseUrl: '/api' }],
    'baseUrl must not have a query': [{ baseUrl: `${audience}?x` }],
    'getUrl must be a function': [{ getUrl: audience }],
    'algorithms must name at least one': [{ ...dPoP, algorithms: [] }],
    'algorithms must be an array of': [{ ...dPoP, algorithms: ['HS256'] }],
    'maxAge must be an integer from 1 to 300': [
      { ...dPoP, maxAge: 0 },
      { ...dPoP, maxAge: 301 },
    ],
    'replayStore must be an object': [{ ...dPoP, replayStore: new Set() }],
    'nonce is not a known option': [{ ...dPoP, nonce: true }],
  }
  for (const [message, options] of Object.entries(wrong)) {
    it(`refuses the others: ${message}`, () => {
      for (const each of options) {
        const made = build({ issuer, audience, ...each })
        expect(made, JSON.stringify(each)).to.throw(TypeError, `resourceServer.${message}`)
      }
    })
  }
  for (const [message, options] of Object.entries(wrongDPoP)) {
    it(`refuses the others: dPoP.${message}`, () => {
      for (const each of options) {
        const made = build({ issuer, audience, dPoP: each })
        expect(made, JSON.stringify(each)).to.throw(TypeError, `resourceServer.dPoP.${message}`)
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
