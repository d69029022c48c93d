import { randomUUID } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { decodeJwt } from 'jose'
import type { Deployed } from '../support/deployment.ts'
import {
  answer,
  answers,
  bearer,
  claims,
  exchanges,
  fields,
  idOf,
  isExchange,
  isIssue,
  json,
  requests,
  sign,
  subjectToken,
  withJson,
  withoutMember,
} from './parts.ts'
import type { Answered, Passing, Spoil } from './proxy.ts'

// Over 250 lines: one table, a server that is wrong on purpose in each row.

export interface WrongServer {
  readonly name: string
  /** The statements that have to be red. */
  readonly breaks: readonly string[]
  /** Statements that may be red, too, by chance or because they need the same; every one for `all`. */
  readonly mayBreak?: readonly string[] | 'all'
  /** Made anew for each run. */
  readonly spoil: (deployed: Pick<Deployed, 'actorTokens'>) => Spoil
}

const isOf = (path: string) => (passing: Passing) => passing.path.split('?')[0] === path
const isCurrent = isOf('/oidc/impersonations/current')
const isEndByToken = isOf('/oidc/impersonations/current/end')
const isEndById = ({ path }: Passing) => /^\/api\/impersonations\/[^/]+\/end$/.test(path)
const isEndOfMany = isOf('/api/impersonations/end')
const isSeen = ({ path, method }: Passing) =>
  method === 'GET' && /^\/api\/impersonations\/[^/]+$/.test(path)
const isStatusList = ({ path }: Passing) => /^\/oidc\/status-lists\/./.test(path)
const WEB_CREDENTIALS = { authorization: `Basic ${btoa('web:web-secret')}` }
const COPILOT_CREDENTIALS = { authorization: `Basic ${btoa('copilot:copilot-secret')}` }

function withHeader(answered: Answered, name: string, value: string): Answered {
  return { ...answered, headers: { ...answered.headers, [name]: value } }
}

export const WRONG_SERVERS: readonly WrongServer[] = [
  {
    name: 'answers an issue with 200',
    breaks: ['P1'],
    spoil: () =>
      answers(isIssue, (given) => (given.status === 201 ? { ...given, status: 200 } : given)),
  },
  {
    name: 'lets caches keep access tokens',
    breaks: ['P2'],
    spoil: () =>
      answers(isExchange, (given) =>
        given.status === 200 ? withHeader(given, 'cache-control', 'max-age=60') : given,
      ),
  },
  {
    name: 'issues subject tokens that can be guessed',
    breaks: ['P3'],
    spoil: () => {
      const real = new Map<string, string>()
      return async (passing, forward) => {
        if (isIssue(passing)) {
          const given = await forward(passing)
          if (given.status !== 201) return given
          const guessable = `ticket-${real.size}`
          real.set(guessable, json(given).subjectToken)
          return withJson(given, { subjectToken: guessable })
        }
        if (!isExchange(passing)) return forward(passing)
        const form = fields(passing)
        const known = real.get(subjectToken(passing))
        if (known === undefined) return forward(passing)
        // Twice is twice.
        for (const [index, one] of form.getAll('subject_token').entries()) {
          if (index === 0) form.delete('subject_token')
          form.append('subject_token', real.get(one) ?? one)
        }
        return forward({ ...passing, body: String(form) })
      }
    },
  },
  {
    name: 'tells a request without a token that its token is invalid',
    breaks: ['P4'],
    spoil: () =>
      answers(isIssue, (given, { headers }) =>
        headers.authorization === undefined
          ? withHeader(given, 'www-authenticate', 'Bearer error="invalid_token"')
          : given,
      ),
  },
  {
    name: 'issues to every access token',
    breaks: ['P5', 'P11', 'P36'],
    spoil: () => issuingTo('invalid_token'),
  },
  {
    name: 'issues to machine tokens without the scope',
    breaks: ['P6'],
    spoil: () => issuingTo('insufficient_scope'),
  },
  {
    name: 'ignores members that it does not know',
    breaks: ['P7'],
    spoil: () => withoutMember('contxt', () => true),
  },
  {
    name: 'takes issue requests that are no JSON by their type',
    breaks: ['P8'],
    spoil: () =>
      requests(isIssue, (passing) => ({
        ...passing,
        headers: { ...passing.headers, 'content-type': 'application/json' },
      })),
  },
  {
    name: 'says 400 of a user who does not exist',
    breaks: ['P9'],
    spoil: () =>
      answers(isIssue, (given) => (given.status === 404 ? { ...given, status: 400 } : given)),
  },
  {
    name: 'says of a rule that the token lacks a scope',
    breaks: ['P10'],
    spoil: () =>
      answers(isIssue, (given) =>
        json(given).error === 'access_denied'
          ? withJson(given, { error: 'insufficient_scope' })
          : given,
      ),
  },
  {
    name: 'has refusals in HTML',
    breaks: ['P11'],
    spoil: () =>
      answers(isExchange, (given) =>
        given.status === 400 ? withHeader(given, 'content-type', 'text/html') : given,
      ),
  },
  {
    name: 'does not say that an approval is missing',
    breaks: ['P12'],
    spoil: () =>
      answers(isIssue, (given) =>
        json(given).error === 'approval_required' ? answer(403, { error: 'access_denied' }) : given,
      ),
  },
  {
    name: 'ignores a lifetime that is too long',
    breaks: ['P13'],
    spoil: () => withoutMember('expiresIn', (value) => value > 1_000_000),
  },
  {
    name: 'does not bind to the operator',
    breaks: ['P14'],
    spoil: () => withoutMember('mayAct', (value) => value?.sub === 'olivia'),
  },
  {
    name: 'does not bind to the client',
    breaks: ['P15'],
    spoil: () => withoutMember('mayAct', (value) => value?.clientId === 'web'),
  },
  {
    name: 'does not bind to the resource',
    breaks: ['P16'],
    spoil: () => withoutMember('resource', (value) => /^http.*orders$/.test(value)),
  },
  {
    name: 'does not bind to the scope',
    breaks: ['P17'],
    spoil: () => withoutMember('scope', (value) => value === 'orders:read'),
  },
  {
    name: 'ignores a context that it does not understand',
    breaks: ['P18'],
    spoil: () => withoutMember('context', Array.isArray),
  },
  {
    name: 'gives a refresh token',
    breaks: ['P19'],
    spoil: () =>
      answers(isExchange, (given) =>
        given.status === 200 ? withJson(given, { refresh_token: randomUUID() }) : given,
      ),
  },
  {
    name: 'gives access tokens as text',
    breaks: ['P19'],
    spoil: () =>
      answers(isExchange, (given) =>
        given.status === 200 ? withHeader(given, 'content-type', 'text/plain') : given,
      ),
  },
  {
    name: 'issues for every API at once',
    breaks: ['P20', 'P38'],
    spoil: () => claims((payload) => ({ ...payload, aud: [String(payload.aud), 'https://all'] })),
  },
  {
    name: 'lets tokens live for hours',
    breaks: ['P21'],
    // The provider goes by its own record.
    mayBreak: ['P52'],
    spoil: () => claims((payload) => ({ ...payload, exp: (payload.exp ?? 0) + 7200 })),
  },
  {
    name: 'does not mark impersonated tokens',
    breaks: ['P22'],
    // The provider does not know such a token any more.
    mayBreak: 'all',
    spoil: () => claims((payload) => ({ ...payload, jti: randomUUID() })),
  },
  {
    name: 'grants every scope that is asked for',
    breaks: ['P23'],
    spoil: () =>
      claims((payload, passing) => {
        const asked = fields(passing).get('scope') ?? ''
        return asked.includes('no-such-scope') ? { ...payload, scope: asked } : undefined
      }),
  },
  {
    name: 'has a wrong code for a wrong resource',
    breaks: ['P24'],
    spoil: () =>
      answers(isExchange, (given) =>
        json(given).error === 'invalid_target'
          ? withJson(given, { error: 'invalid_request' })
          : given,
      ),
  },
  {
    name: 'ignores which type of token is asked for',
    breaks: ['P25', 'P32'],
    spoil: () => exchanges(() => true, { requested_token_type: undefined }),
  },
  {
    name: 'redeems what stands in a URL',
    breaks: ['P26'],
    spoil: () =>
      requests(
        ({ path, method }) => method === 'GET' && path.startsWith('/oidc/token?'),
        (passing) => ({
          ...passing,
          method: 'POST',
          path: '/oidc/token',
          body: passing.path.split('?')[1] ?? '',
          headers: { ...passing.headers, 'content-type': 'application/x-www-form-urlencoded' },
        }),
      ),
  },
  {
    name: 'believes the id of a confidential client',
    breaks: ['P27'],
    spoil: () => exchanges((form) => form.get('client_id') === 'web', {}, WEB_CREDENTIALS),
  },
  {
    name: 'lets every client exchange',
    breaks: ['P28'],
    spoil: () => exchanges((form) => form.get('client_id') === 'plain', { client_id: 'console' }),
  },
  {
    name: 'ignores DPoP proofs',
    breaks: ['P29'],
    spoil: () =>
      requests(isExchange, ({ headers: { dpop: _, ...headers }, ...passing }) => ({
        ...passing,
        headers,
      })),
  },
  {
    name: 'grants a used subject token again',
    breaks: ['P30', 'P33'],
    // Of the copies, some may arrive after the first answer.
    mayBreak: ['P31'],
    spoil: () => {
      const granted = new Map<string, Answered>()
      return async (passing, forward) => {
        const token = isExchange(passing) ? subjectToken(passing) : ''
        const kept = granted.get(token)
        if (kept) return kept
        const given = await forward(passing)
        if (token !== '' && given.status === 200) granted.set(token, given)
        return given
      }
    },
  },
  {
    name: 'redeems twice in a race',
    breaks: ['P31'],
    spoil: () => {
      const underWay = new Map<string, Promise<Answered>>()
      return (passing, forward) => {
        if (!isExchange(passing)) return forward(passing)
        const token = subjectToken(passing)
        const first = underWay.get(token)
        if (first) return first
        const given = forward(passing).finally(() => underWay.delete(token))
        underWay.set(token, given)
        return given
      }
    },
  },
  {
    name: 'redeems before it checks the scope',
    breaks: ['P32'],
    spoil: () => {
      const burnt = new Set<string>()
      return async (passing, forward) => {
        if (!isExchange(passing)) return forward(passing)
        const token = subjectToken(passing)
        if (burnt.has(token)) return forward({ ...passing, body: passing.body.replace(token, 'x') })
        const given = await forward(passing)
        if (json(given).error === 'invalid_scope') burnt.add(token)
        return given
      }
    },
  },
  {
    name: 'says that a subject token was used',
    breaks: ['P33'],
    spoil: () => {
      const used = new Set<string>()
      return answers(isExchange, (given, passing) => {
        const token = subjectToken(passing)
        if (given.status === 200) used.add(token)
        const isUsed = given.status === 400 && used.has(token)
        return isUsed ? withJson(given, { error_description: 'it was used' }) : given
      })
    },
  },
  {
    name: 'redeems an expired subject token',
    breaks: ['P34'],
    spoil: () => withoutMember('expiresIn', (value) => value === 1),
  },
  {
    name: 'takes an access token as a subject token',
    breaks: ['P35'],
    spoil: () =>
      answers(isExchange, (given, passing) => {
        const access_token = subjectToken(passing)
        return access_token.startsWith('eyJ') ? answer(200, { access_token }) : given
      }),
  },
  {
    name: 'takes a subject token as an access token',
    breaks: ['P36'],
    spoil: () => answers(isOf('/oidc/me'), () => answer(200, { sub: 'alice' })),
  },
  {
    name: 'does not say who acts',
    breaks: ['P37', 'P38'],
    mayBreak: ['P40'],
    spoil: () =>
      claims(({ act, ...payload }) => (Object(act).client_id === undefined ? payload : undefined)),
  },
  {
    name: 'lets a client say who acts',
    breaks: ['P38'],
    spoil: () =>
      claims((payload, passing) => {
        const act = fields(passing).get('act')
        return act === null ? undefined : { ...payload, act: JSON.parse(act) }
      }),
  },
  {
    name: 'ignores actor tokens that are invalid',
    breaks: ['P32', 'P39', 'P40', 'P41', 'P62', 'P63', 'P64'],
    spoil: () => async (passing, forward) => {
      const given = await forward(passing)
      if (json(given).error_description !== 'actor token is invalid') return given
      const form = fields(passing)
      form.delete('actor_token')
      form.delete('actor_token_type')
      return forward({ ...passing, body: String(form) })
    },
  },
  {
    name: 'takes an actor token without openid',
    breaks: ['P62'],
    spoil: ({ actorTokens: { withoutScope, good } }) =>
      exchanges((form) => form.get('actor_token') === withoutScope, { actor_token: good }),
  },
  {
    name: 'takes an actor token of a revoked grant',
    breaks: ['P63'],
    spoil: ({ actorTokens: { revoked, good } }) =>
      exchanges((form) => form.get('actor_token') === revoked, { actor_token: good }),
  },
  {
    name: 'takes an actor token that is bound to a key as if it were not',
    breaks: ['P64'],
    spoil: ({ actorTokens: { bound, good } }) =>
      exchanges((form) => form.get('actor_token') === bound, { actor_token: good }),
  },
  {
    name: 'names the operator in place of software',
    breaks: ['P42'],
    spoil: () =>
      claims((payload) => {
        const { act } = Object(payload.act)
        return act === undefined ? undefined : { ...payload, act }
      }),
  },
  {
    name: 'does not name software that acts on its own',
    breaks: ['P43'],
    spoil: () =>
      claims(({ act, ...payload }) => {
        const { client_id, act: inner } = Object(act)
        return client_id === undefined || inner !== undefined ? undefined : payload
      }),
  },
  {
    name: 'names software that proves nothing',
    breaks: ['P44'],
    spoil: () => exchanges((form) => form.get('client_id') === 'copilot', {}, COPILOT_CREDENTIALS),
  },
  {
    name: 'ends again what has ended',
    breaks: ['P45'],
    spoil: () => {
      const ended = new Set<string>()
      return answers(isEndByToken, (given, passing) => {
        if (given.status === 204) ended.add(bearer(passing))
        return ended.has(bearer(passing)) ? { ...given, status: 204, body: '' } : given
      })
    },
  },
  {
    name: 'exchanges what has ended',
    breaks: ['P46', 'P49'],
    spoil: () => {
      const redeemed = new Set<string>()
      return async (passing, forward) => {
        const id = passing.path.split('/')[3] ?? ''
        if (isEndById(passing) && !redeemed.has(id)) {
          const isKnown = !id.endsWith('AAAA') && !id.endsWith('BBBB')
          if (isKnown)
            return answer(200, { id, state: 'ended', end: { at: 0, cause: 'requested' } })
        }
        const given = await forward(passing)
        if (isExchange(passing) && given.status === 200) redeemed.add(idOf(subjectToken(passing)))
        return given
      }
    },
  },
  {
    name: 'lets the last end win',
    breaks: ['P47'],
    spoil: () =>
      answers(isEndById, (given, passing) => {
        const { end } = json(given)
        return end ? withJson(given, { end: { ...end, ...json(passing) } }) : given
      }),
  },
  {
    name: 'takes no filter for all',
    breaks: ['P48'],
    spoil: () =>
      answers(isEndOfMany, (given) => (given.status === 400 ? answer(200, { ended: 0 }) : given)),
  },
  {
    name: 'shows impersonations to clients that may issue',
    breaks: ['P50'],
    spoil: () =>
      answers(isSeen, (given) => (given.status === 403 ? answer(200, { state: 'active' }) : given)),
  },
  {
    name: 'keeps opaque tokens active',
    breaks: ['P51'],
    spoil: () => {
      const active = new Map<string, Answered>()
      return answers(isOf('/oidc/token/introspection'), (given, passing) => {
        const token = fields(passing).get('token') ?? ''
        if (json(given).active === true) active.set(token, given)
        return active.get(token) ?? given
      })
    },
  },
  {
    name: 'says a wrong time',
    breaks: ['P52'],
    spoil: () =>
      answers(isCurrent, (given) =>
        given.status === 200 ? withJson(given, { expiresAt: 1 }) : given,
      ),
  },
  {
    name: 'says that what has ended is active',
    breaks: ['P53'],
    // Where the exchange came before the end.
    mayBreak: ['P49'],
    spoil: () =>
      answers(isCurrent, (given) =>
        given.status === 200 ? withJson(given, { state: 'active' }) : given,
      ),
  },
  {
    name: 'says who ended it',
    breaks: ['P53'],
    spoil: () =>
      answers(isCurrent, (given) => {
        const { end } = json(given)
        return end ? withJson(given, { end: { ...end, name: 'Grace' } }) : given
      }),
  },
  {
    name: 'says 403 of a wrong credential',
    breaks: ['P54'],
    spoil: () =>
      answers(isCurrent, (given) => (given.status === 401 ? { ...given, status: 403 } : given)),
  },
  {
    name: 'has no status in its tokens',
    breaks: ['P55', 'P56', 'P57'],
    spoil: () => claims(({ status: _, ...payload }) => payload),
  },
  {
    name: 'never says in a list that something has ended',
    breaks: ['P56'],
    spoil: () =>
      answers(isStatusList, async (given) => {
        if (given.status !== 200) return given
        const lst = deflateSync(Buffer.alloc(2 ** 17)).toString('base64url')
        const payload = { ...decodeJwt(given.body), status_list: { bits: 1, lst } }
        return { ...given, body: await sign(payload, 'statuslist+jwt') }
      }),
  },
  {
    name: 'lists no status list',
    breaks: ['P57'],
    spoil: () => answers(isOf('/oidc/status-lists'), () => answer(200, { status_lists: [] })),
  },
]

/** Issues to a token that is refused so, as if it were one that is accepted. */
function issuingTo(error: string): Spoil {
  let accepted: Record<string, string> = {}
  return async (passing, forward) => {
    const given = await forward(passing)
    const { authorization } = passing.headers
    if (!isIssue(passing) || authorization === undefined) return given
    if (given.status === 201) accepted = { authorization }
    if (json(given).error !== error) return given
    return forward({ ...passing, headers: { ...passing.headers, ...accepted } })
  }
}
