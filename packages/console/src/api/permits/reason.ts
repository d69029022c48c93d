import type { AskedFor } from '../console/asked-for.ts'
import type { Call } from '../parts.ts'
import { permitting } from './shown.ts'

/** The request, with the reason that was approved: what a person approved is what is written down. */
export async function withPermitsReason(
  { application, customer, request }: AskedFor,
  { caller, ctx, preview, settings: { permits } }: Call,
): Promise<AskedFor['request']> {
  if (!permits) return request
  const filter = { customer: customer.id, operator: caller.id, isOpen: true } as const
  const { permits: open } = await permitting(() => permits.list(filter))
  const granted = open.filter(
    (permit) => permit.state === 'granted' && permit.application === application.clientId,
  )
  if (granted.length === 0) return request
  // The rule alone says under which permit it would start, or that it needs none.
  const { permit } = await preview(request, ctx)
  const ids = permit === undefined ? [] : [permit].flat()
  const reason = granted.find(({ id }) => ids.includes(id))?.reason
  return reason === undefined ? request : { ...request, context: { ...request.context, reason } }
}
