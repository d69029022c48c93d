import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { trailOf } from '../events/trail.ts'
import { instance } from '../host/weak-cache.ts'
import { endImpersonation } from '../impersonations/end.ts'
import { END_OVER_HTTP, readEndAll, readQuery } from '../impersonations/inputs.ts'
import { getImpersonation, listImpersonations } from '../impersonations/list.ts'
import * as marks from '../impersonations/marks.ts'
import { issue } from '../issue/issue.ts'
import { readInput } from '../options/rules.ts'
import { IMPERSONATION_ID } from '../shared/constants.ts'
import { NotFound } from '../shared/errors.ts'
import { printable } from '../shared/text.ts'
import type { Step } from './answers.ts'

/** `POST …/subject-tokens` */
export const issueSubjectToken: Step = async (ctx) => {
  const { provider, body } = ctx.oidc
  const { id, value, expiresIn } = await issue(ctx, body)
  ctx.status = 201
  if (instance(provider).ending) {
    // Beside the path that the caller used, at the issuer's origin. A caller cannot choose the host.
    const url = ctx.oidc.urlFor(ctx.oidc.route)
    ctx.set('Location', `${url.slice(0, url.lastIndexOf('/'))}/impersonations/${id}`)
  }
  ctx.body = { subjectToken: value, expiresIn }
}

/** `GET …/impersonations` */
export const list: Step = async (ctx) => {
  const { limit, ...query } = parameters(ctx)
  // Digits alone, because Number() would read '', '0x10' and '1e1' as well.
  const number = limit !== undefined && /^\d{1,9}$/.test(limit) ? Number(limit) : limit
  ctx.body = await listImpersonations(ctx.oidc.provider, readQuery({ ...query, limit: number }))
}

/** @throws {@link NotFound} for a path with anything that cannot be an id */
export const requireId: Step = async (ctx, next) => {
  const { id } = ctx.params
  if (!IMPERSONATION_ID.test(id)) throw new NotFound()
  trailOf(ctx).add({ id })
  await next()
}

/** `GET …/impersonations/{id}` */
export const show: Step = async (ctx) => {
  ctx.body = found(await getImpersonation(ctx.oidc.provider, ctx.params.id))
}

/** `POST …/impersonations/{id}/end` */
export const end: Step = async (ctx) => {
  const { provider, body } = ctx.oidc
  const how = readInput(END_OVER_HTTP, body)
  ctx.body = found(await endImpersonation(provider, ctx.params.id, how, ctx))
}

/** `POST …/impersonations/end` */
export const endAll: Step = async (ctx) => {
  const { filter, how } = readEndAll(ctx.oidc.body)
  ctx.body = { ended: await marks.endAll(ctx.oidc.provider, filter, how, ctx) }
}

function found<T>(impersonation: T | undefined): T {
  if (!impersonation) throw new NotFound()
  return impersonation
}

/** @throws errors.InvalidRequest for a parameter that is repeated */
function parameters(ctx: KoaContextWithOIDC): Record<string, string | undefined> {
  const query = new URLSearchParams(ctx.querystring)
  const repeated = [...query.keys()].find((name) => query.getAll(name).length > 1)
  if (repeated === undefined) return Object.fromEntries(query)
  throw new errors.InvalidRequest(`${printable(repeated, 64)} must not be repeated`)
}
