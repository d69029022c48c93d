import { createHash } from 'node:crypto'
import { decodeJwt, importJWK, type JWTPayload, SignJWT } from 'jose'
import { signingKey } from '../../../../test/support/deployment-configuration.ts'
import type { Answered, Passing, Spoil } from './proxy.ts'

// Small parts of which the wrong servers are made.

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape, changed by tests.
type Body = any

export const isIssue = ({ path }: Passing) => path === '/api/subject-tokens'
export const isExchange = ({ path, body }: Passing) =>
  path === '/oidc/token' && body.includes('token-exchange')
export const fields = ({ body }: Passing) => new URLSearchParams(body)
export const subjectToken = (passing: Passing) => fields(passing).get('subject_token') ?? ''
export const bearer = ({ headers }: Passing) => headers.authorization?.split(' ')[1] ?? ''
export const idOf = (token: string) => createHash('sha256').update(token).digest('base64url')

/** The JSON of a body; empty where it is none. */
export function json({ body }: { readonly body: string }): Body {
  try {
    return JSON.parse(body) ?? {}
  } catch {
    return {}
  }
}

export const withJson = (answered: Answered, change: object): Answered => ({
  ...answered,
  body: JSON.stringify({ ...json(answered), ...change }),
})

export const answer = (status: number, body: object): Answered => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
})

/** Changes the answers to the requests that are meant. */
export function answers(
  isMeant: (passing: Passing) => boolean,
  change: (answered: Answered, passing: Passing) => Answered | Promise<Answered>,
): Spoil {
  return async (passing, forward) => {
    const answered = await forward(passing)
    return isMeant(passing) ? change(answered, passing) : answered
  }
}

/** Changes the requests that are meant. */
export function requests(
  isMeant: (passing: Passing) => boolean,
  change: (passing: Passing) => Passing,
): Spoil {
  return (passing, forward) => forward(isMeant(passing) ? change(passing) : passing)
}

/** Takes a member out of the issue requests whose member is meant. */
export function withoutMember(name: string, isMeant: (value: Body) => boolean): Spoil {
  return requests(isIssue, (passing) => {
    const { [name]: value, ...rest } = json(passing)
    return isMeant(value) ? { ...passing, body: JSON.stringify(rest) } : passing
  })
}

/** Sets or takes out fields of the exchanges that are meant. */
export function exchanges(
  isMeant: (form: URLSearchParams) => boolean,
  change: Readonly<Record<string, string | undefined>>,
  headers: Readonly<Record<string, string>> = {},
): Spoil {
  return requests(
    (passing) => isExchange(passing) && isMeant(fields(passing)),
    (passing) => {
      const form = fields(passing)
      for (const [name, value] of Object.entries(change)) {
        if (value === undefined) form.delete(name)
        else form.set(name, value)
      }
      return { ...passing, body: String(form), headers: { ...passing.headers, ...headers } }
    },
  )
}

const key = await importJWK(signingKey, 'ES256')

export function sign(payload: JWTPayload, typ: string): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'test', typ }).sign(key)
}

/** Changes the claims of the access tokens that are JWTs; `undefined` changes nothing. */
export function claims(
  change: (payload: JWTPayload, passing: Passing) => JWTPayload | undefined,
): Spoil {
  return answers(isExchange, async (answered, passing) => {
    const token: unknown = json(answered).access_token
    if (typeof token !== 'string' || token.split('.').length !== 3) return answered
    const changed = change(decodeJwt(token), passing)
    if (changed === undefined) return answered
    return withJson(answered, { access_token: await sign(changed, 'at+jwt') })
  })
}
