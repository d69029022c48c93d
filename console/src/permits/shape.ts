import { functionRule, objectRule, type Shape } from '#glue/option-rules'
import type { AuditStore } from '../audit/store.ts'
import { secondsRule } from '../option-rules.ts'
import type { PermitsOptions } from './options.ts'

// Not in options.ts: the published types cannot have the imports of src/glue.

const DAY_S = 86_400

/** What `createPermits()` may be given. */
export const PERMITS_SHAPE = {
  audit: {
    ...objectRule<AuditStore>('open', 'decide', 'permits'),
    required: 'the audit of the console',
  },
  approvers: {
    ...functionRule<PermitsOptions['approvers']>(),
    required: '(permit) => a list of { id, name } of who may decide',
  },
  durations: {
    type: 'list',
    of: { type: 'integer', min: 1, max: DAY_S, default: undefined },
    what: 'seconds, whole numbers',
    atLeast: 1,
    default: undefined,
  },
  lapse: { ...secondsRule(7 * DAY_S), default: DAY_S },
  pause: { ...secondsRule(7 * DAY_S), default: DAY_S },
  emergency: { ...secondsRule(DAY_S), default: 600 },
  timeout: { ...secondsRule(60), default: 2 },
  onPermit: functionRule<NonNullable<PermitsOptions['onPermit']>>(),
} as const satisfies Shape

export const DEFAULT_DURATIONS_S: readonly number[] = [600, 3600, 14_400]
