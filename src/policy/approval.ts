import { errors } from 'oidc-provider'
import type { Need } from '../public/policy-hook.ts'

const APPROVER_NAMES: Readonly<Record<Need, string>> = {
  second_person: 'a second person',
  user: 'the user',
}

function describe(needs: readonly Need[]): string {
  return `needs the approval of ${needs.map((need) => APPROVER_NAMES[need]).join(' and of ')}`
}

/** At issue: the request is not allowed without an approval that there is not yet. */
export class ApprovalRequired extends errors.OIDCProviderError {
  override error_description: string
  /** Whose approval it needs, and whether the rule allows an emergency: in the answer, too. */
  readonly approval: { readonly by: readonly Need[]; readonly emergency?: true }
  readonly needs: readonly Need[]

  constructor(needs: readonly Need[], emergency = false, options: ErrorOptions = {}) {
    super(403, 'approval_required', options)
    this.needs = needs
    this.approval = Object.freeze({ by: needs, ...(emergency ? { emergency } : {}) })
    this.error_description = describe(needs)
  }
}

/** At the exchange: the approval that the request needs is over, was revoked, or never was. */
export class NotApproved extends errors.AccessDenied {
  readonly needs: readonly Need[]

  constructor(needs: readonly Need[], options: ErrorOptions = {}) {
    super(describe(needs), options)
    this.needs = needs
  }
}
