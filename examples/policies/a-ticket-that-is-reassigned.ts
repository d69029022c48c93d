import type { Authorize, Provider } from 'oidc-provider-impersonation'

/** Your help desk: the assignee of each ticket. */
const assignees = new Map([['SUP-123', 'olivia']])

export const assigneeOnly: Authorize = ({ actor, context }) =>
  actor !== undefined && assignees.get(String(context.ticketId)) === actor.sub

/** Call it from the webhook of your help desk. */
export async function reassign(provider: Provider, ticketId: string, operator: string) {
  const actor = assignees.get(ticketId)
  assignees.set(ticketId, operator)
  let cursor: string | undefined
  do {
    const page = await provider.impersonation.list({ actor, cursor })
    for (const { id, context } of page.items) {
      if (context.ticketId !== ticketId) continue
      await provider.impersonation.end(id, { cause: 'policy', reason: 'reassigned' })
    }
    cursor = page.next
  } while (cursor !== undefined)
}
