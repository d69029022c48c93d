import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { AuditTrail } from '../events/trail.ts'
import type { Impersonations } from '../impersonations/impersonations.ts'
import { checkEnd, checkEndAll, checkQuery } from '../impersonations/inputs.ts'
import type { ManagementRights } from '../policy/machine-tokens.ts'
import type { ImpersonationObject } from '../public/list-and-end.ts'
import { IMPERSONATION_ID } from '../shared/constants.ts'
import { NotFound } from '../shared/errors.ts'
import { printable } from '../shared/printable.ts'
import { authenticate, type BearerParts } from './bearer.ts'
import { asRequest, bodyReader, hasBody } from './json-body.ts'

/** What seeing and ending take. */
export interface ImpersonationParts extends BearerParts {
  readonly impersonations: Impersonations
  readonly rights: ManagementRights
}

/** Answers one request. */
export type Handler = (ctx: KoaContextWithOIDC, trail: AuditTrail) => Promise<void>

/** The handlers of `…/impersonations`, to see and to end. */
export function impersonationHandlers(
  provider: Provider,
  parts: ImpersonationParts,
): Readonly<Record<'end' | 'endAll' | 'list' | 'show', Handler>> {
  const { impersonations, options, rights } = parts
  const readJson = bodyReader(options.limits.bodyBytes)

  const allowed = async (
    ctx: KoaContextWithOIDC,
    right: 'end' | 'read',
    trail: AuditTrail,
  ): Promise<void> => {
    const client = await authenticate(provider, ctx, parts, rights[right], trail)
    ctx.oidc.entity('Client', client)
  }

  return {
    async list(ctx, trail) {
      await allowed(ctx, 'read', trail)
      const query = parameters(ctx)
      const { limit } = query
      // Digits alone: Number() would read '', '0x10' and '1e1' as well.
      const number = limit !== undefined && /^\d{1,9}$/.test(limit) ? Number(limit) : limit
      ctx.body = await asRequest(async () =>
        impersonations.list(
          checkQuery({ ...query, ...(limit === undefined ? {} : { limit: number }) }),
        ),
      )
    },

    async show(ctx, trail) {
      await allowed(ctx, 'read', trail)
      ctx.body = found(await impersonations.get(idIn(ctx)))
    },

    async end(ctx, trail) {
      await allowed(ctx, 'end', trail)
      const id = idIn(ctx)
      trail.note({ id })
      // The body is optional.
      const body = hasBody(ctx) ? await readJson(ctx) : {}
      ctx.body = found(await asRequest(async () => impersonations.end(id, checkEnd(body), ctx)))
    },

    async endAll(ctx, trail) {
      await allowed(ctx, 'end', trail)
      const body = await readJson(ctx)
      const ended = await asRequest(async () => {
        const { filter, how } = checkEndAll(body)
        return impersonations.endAll(filter, how, ctx)
      })
      ctx.body = { ended }
    },
  }
}

/** @throws {@link NotFound} for what can be no id */
function idIn(ctx: KoaContextWithOIDC): string {
  const id: unknown = Reflect.get(ctx, 'params')?.id
  if (typeof id !== 'string' || !IMPERSONATION_ID.test(id)) throw new NotFound()
  return id
}

function found(impersonation: ImpersonationObject | undefined): ImpersonationObject {
  if (!impersonation) throw new NotFound()
  return impersonation
}

/** @throws errors.InvalidRequest for a parameter that is repeated */
function parameters(ctx: KoaContextWithOIDC): Record<string, string | undefined> {
  const query: Record<string, string | undefined> = {}
  for (const [name, value] of new URLSearchParams(ctx.querystring)) {
    if (Object.hasOwn(query, name)) {
      throw new errors.InvalidRequest(`${printable(name, 64)} must not be repeated`)
    }
    Object.defineProperty(query, name, { value, enumerable: true, configurable: true })
  }
  return query
}
