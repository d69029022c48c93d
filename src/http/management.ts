import type { Context } from 'koa'
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { trailOf } from '../events/trail.ts'
import { urlAt } from '../host/request.ts'
import { instance } from '../host/weak-cache.ts'
import { endImpersonation } from '../impersonations/end.ts'
import { END_OVER_HTTP, readEndAll, readQuery } from '../impersonations/inputs.ts'
import { getImpersonation, listImpersonations } from '../impersonations/list.ts'
import * as pendingEnds from '../impersonations/marks.ts'
import { issue } from '../issue/issue.ts'
import { readInput } from '../options/rules.ts'
import type { Impersonation } from '../public/objects.ts'
import { IMPERSONATION_ID } from '../shared/constants.ts'
import { NotFound } from '../shared/errors.ts'
import { printable } from '../shared/text.ts'
import { hasBody, readJsonBody } from './body.ts'

/** `POST …/subject-tokens` */
export async function issueSubjectToken(
  provider: Provider,
  ctx: KoaContextWithOIDC,
): Promise<void> {
  const { id, value, expiresIn } = await issue(provider, ctx, () => readBody(provider, ctx))
  ctx.status = 201
  if (instance(provider).ending) {
    ctx.set('Location', siblingUrl(provider, ctx, `impersonations/${id}`))
  }
  ctx.body = { subjectToken: value, expiresIn }
}

/** `GET …/impersonations` */
export async function list(provider: Provider, ctx: KoaContextWithOIDC): Promise<void> {
  const { limit, ...query } = parameters(ctx)
  // Digits alone, because Number() would read '', '0x10' and '1e1' as well.
  const number = limit !== undefined && /^\d{1,9}$/.test(limit) ? Number(limit) : limit
  ctx.body = await listImpersonations(provider, readQuery({ ...query, limit: number }))
}

/** `GET …/impersonations/{id}` */
export async function show(provider: Provider, ctx: KoaContextWithOIDC): Promise<void> {
  ctx.body = found(await getImpersonation(provider, idIn(ctx)))
}

/** `POST …/impersonations/{id}/end` */
export async function end(provider: Provider, ctx: KoaContextWithOIDC): Promise<void> {
  const id = idIn(ctx)
  trailOf(ctx).add({ id })
  // The body is optional.
  const how = readInput(END_OVER_HTTP, hasBody(ctx) ? await readBody(provider, ctx) : {})
  ctx.body = found(await endImpersonation(provider, id, how, ctx))
}

/** `POST …/impersonations/end` */
export async function endAll(provider: Provider, ctx: KoaContextWithOIDC): Promise<void> {
  const { filter, how } = readEndAll(await readBody(provider, ctx))
  ctx.body = { ended: await pendingEnds.endAll(provider, filter, how, ctx) }
}

function readBody(provider: Provider, ctx: Context): Promise<unknown> {
  return readJsonBody(ctx, instance(provider).options.limits.bodyBytes)
}

/**
 * Returns a URL beside the path that the caller used, at the issuer's origin. A caller cannot
 * choose the host.
 */
function siblingUrl({ issuer }: Provider, ctx: Context, path: string): string {
  const url = urlAt(new URL(issuer).origin, ctx)
  return url.slice(0, url.lastIndexOf('/') + 1) + path
}

/** @throws {@link NotFound} for anything that cannot be an id */
function idIn(ctx: KoaContextWithOIDC): string {
  const id: unknown = Reflect.get(ctx, 'params')?.id
  if (typeof id !== 'string' || !IMPERSONATION_ID.test(id)) throw new NotFound()
  return id
}

function found(impersonation: Impersonation | undefined): Impersonation {
  if (!impersonation) throw new NotFound()
  return impersonation
}

/** @throws errors.InvalidRequest for a parameter that is repeated */
function parameters(ctx: KoaContextWithOIDC): Record<string, string | undefined> {
  const query = new URLSearchParams(ctx.querystring)
  const seen = new Set<string>()
  for (const name of query.keys()) {
    if (seen.has(name)) {
      throw new errors.InvalidRequest(`${printable(name, 64)} must not be repeated`)
    }
    seen.add(name)
  }
  return Object.fromEntries(query)
}
