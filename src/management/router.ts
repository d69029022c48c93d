import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { type Client, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { AccessTokenVerifier } from '../access-token.ts'
import { findAccount, runInRequest } from '../oidc-provider-internals.ts'
import type { ResolvedOptions } from '../options.ts'
import type { SubjectTokenModel } from '../subject-token.ts'
import { authenticate } from './bearer.ts'
import { parseIssueRequest } from './body.ts'
import { answerErrors, UserNotFound } from './errors.ts'
import { jsonReader } from './json-body.ts'

/** What the management API is made of. */
export interface ManagementParts {
  readonly options: ResolvedOptions
  readonly subjectTokens: SubjectTokenModel
  readonly verifier: AccessTokenVerifier
  /** Whether a client may use the management API at all. */
  readonly mayCall: (client: Client) => boolean
}

/** `POST {prefix}/subject-tokens`, as plain Koa middleware. */
export function managementRouter(
  provider: Provider,
  { options, subjectTokens, verifier, mayCall }: ManagementParts,
): Middleware {
  const { managementApi, limits } = options
  const readBody = jsonReader(limits.bodyBytes)

  async function issueSubjectToken(ctx: KoaContextWithOIDC): Promise<void> {
    const client = await authenticate(ctx.get('Authorization'), verifier, managementApi, mayCall)
    ctx.oidc.entity('Client', client)
    const { userId, context } = parseIssueRequest(await readBody(ctx), limits)

    const account = await findAccount(provider, ctx, userId)
    if (!account) throw new UserNotFound()
    ctx.oidc.entity('Account', account)

    const subjectToken = subjectTokens.create({
      accountId: account.accountId,
      clientId: client.clientId,
      context,
    })
    ctx.oidc.entity('SubjectToken', subjectToken)
    const value = await subjectToken.save()
    ctx.status = 201
    ctx.body = { subjectToken: value, expiresIn: subjectToken.expiration }
  }

  const router = new Router({ prefix: managementApi.prefix, sensitive: true, strict: true })
  router.all('/subject-tokens', noStore, answerErrors(provider), async (ctx) => {
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST')
      throw new errors.InvalidRequest('only POST is allowed here', 405)
    }
    await runInRequest(ctx, () => issueSubjectToken(withOidc(provider, ctx)))
  })
  // The router itself gives the context what its type asks for beyond a plain one.
  return router.routes() as Middleware
}

async function noStore(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  ctx.set('Cache-Control', 'no-store')
  await next()
}

/** Gives the context what oidc-provider's own routes have, for `findAccount` and listeners. */
function withOidc(provider: Provider, ctx: Context): KoaContextWithOIDC {
  const oidc = Object.assign(new provider.OIDCContext(ctx), {
    params: {},
    route: 'subject_tokens',
  })
  return Object.assign(ctx, { oidc })
}
