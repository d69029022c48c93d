import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { JWTStructured } from 'oidc-provider'
import { basic, type Deployment, type DeploymentOptions } from './deployment.ts'

/** A `formats.customizers.jwt` with the loose types of plain JavaScript. */
export type Customizer = (context: unknown, token: object, jwt: JWTStructured) => unknown

/** With a customizer for users' tokens; machine tokens stay unchanged. */
export const customizing = (customize: Customizer): DeploymentOptions => ({
  configuration: {
    formats: {
      customizers: {
        jwt: async (ctx, token, jwt) => {
          if (token.kind === 'AccessToken') await customize(ctx, token, jwt)
        },
      },
    },
  },
})

/** With an `extraTokenClaims` that gets the token. */
export const extraTokenClaims = (
  own: (token: object) => object | undefined,
): DeploymentOptions => ({
  configuration: {
    extraTokenClaims: ((_ctx: unknown, token: object) => own(token)) as never,
  },
})

/** The claims of a fresh impersonated token: of the JWT, or at introspection. */
export async function impersonated(deployment: Deployment, form: Record<string, string> = {}) {
  const { status, body } = await deployment.exchange({ ...form })
  expect(status, JSON.stringify(body)).to.equal(200)
  return { token: String(body.access_token), claims: await claimsOf(deployment, body.access_token) }
}

/** The claims of a token: of a JWT, or of an opaque token at introspection. */
export async function claimsOf(
  deployment: Pick<Deployment, 'post'>,
  token: string,
): Promise<Record<string, unknown>> {
  if (token.includes('.')) return decodeJwt(token)
  const path = '/oidc/token/introspection'
  return (await deployment.post(path, { token }, basic('web', 'web-secret'))).body
}

/** The `jti` of an impersonated JWT. */
export const MARKED_JTI = /^impersonation:[A-Za-z0-9_-]{43}$/
