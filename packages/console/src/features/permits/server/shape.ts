import { aFunction, objectWith, oneOf, optionalGroup } from 'oidc-provider-impersonation/siblings'
import { secondsRule } from '../../../kernel/option-rules.ts'
import type { AuditStore } from '../../../ledger/store.ts'
import type { PermitsOptions } from './options.ts'

// Not in options.ts: the published types cannot have the imports of the siblings' entry.

const DAY_S = 86_400

/** What `createPermits()` may be given. */
export const PERMITS_RULES = {
  audit: objectWith<AuditStore>('open', 'write', 'permits').required('the audit of the console'),
  approvers: aFunction<NonNullable<PermitsOptions['approvers']>>(),
  ticketOf: aFunction<NonNullable<PermitsOptions['ticketOf']>>(),
  standing: optionalGroup({
    initially: oneOf(['rule', 'ask', 'allow']).or('rule'),
  }),
  window: secondsRule(DAY_S).or(3600),
  lapse: secondsRule(7 * DAY_S).or(DAY_S),
  timeout: secondsRule(60).or(2),
  onPermit: aFunction<NonNullable<PermitsOptions['onPermit']>>(),
}
