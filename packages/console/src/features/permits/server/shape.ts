import { aFunction, objectWith, oneOf, optionalGroup } from 'oidc-provider-impersonation/siblings'
import { secondsRule } from '../../../kernel/option-rules.ts'
import type { AuditStore } from '../../../ledger/store.ts'
import type { FindApprovers } from '../../../records/who.ts'
import type { TicketOf } from './options.ts'
import type { OnPermit } from './permit-alerts.ts'

// Not in options.ts: the published types cannot have the imports of the siblings' entry.

const DAY_S = 86_400

/** The options of `createPermits()`. */
export const PERMITS_RULES = {
  audit: objectWith<AuditStore>('open', 'write', 'permits').required('the audit of the console'),
  approvers: aFunction<FindApprovers>(),
  ticketOf: aFunction<TicketOf>(),
  standing: optionalGroup({
    initially: oneOf(['rule', 'ask', 'allow']).or('rule'),
  }),
  window: secondsRule(DAY_S).or(3600),
  lapse: secondsRule(7 * DAY_S).or(DAY_S),
  timeout: secondsRule(60).or(2),
  onPermit: aFunction<OnPermit>(),
}
