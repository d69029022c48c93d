import type { Authorize } from 'oidc-provider-impersonation'

/** What was recorded when the second person approved, after that person had signed in. */
export interface Approval {
  readonly userId: string
  readonly requestedBy: string
  readonly approvedBy: string
  /** Milliseconds since the epoch. */
  readonly until: number
}

/** Finds the approval for a ticket; `undefined` where there is none, or it was withdrawn. */
export type FindApproval = (ticketId: string) => Promise<Approval | undefined>

export const fourEyes =
  (findApproval: FindApproval): Authorize =>
  async ({ account, actor, context }) => {
    const { ticketId, approvedBy } = context
    // Two people: a token without an actor does not tell whether they are.
    if (!actor || typeof ticketId !== 'string' || typeof approvedBy !== 'string') return false
    const approval = await findApproval(ticketId)
    return (
      approval !== undefined &&
      approval.approvedBy === approvedBy &&
      approval.approvedBy !== actor.sub &&
      approval.requestedBy === actor.sub &&
      approval.userId === account.accountId &&
      approval.until > Date.now()
    )
  }
