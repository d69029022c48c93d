import {
  functionRule,
  objectRule,
  type Shape,
  validRule,
} from 'oidc-provider-impersonation/siblings'
import type { AuditStore } from '../audit/store.ts'
import { secondsRule } from '../option-rules.ts'
import type { Offers, PermitsOptions } from './options.ts'

// Not in options.ts: the published types cannot have the imports of the siblings' entry.

const DAY_S = 86_400

/** In the order in which pages show them. */
export const STANDING_CHOICES = ['ask', 'day', 'week', 'always', 'never'] as const

export function isListOfChoices(value: unknown): boolean {
  const known: readonly unknown[] = STANDING_CHOICES
  return Array.isArray(value) && value.every((each) => known.includes(each))
}

/** What `createPermits()` may be given. */
export const PERMITS_SHAPE = {
  audit: {
    ...objectRule<AuditStore>('open', 'decide', 'permits'),
    required: 'the audit of the console',
  },
  approvers: functionRule<NonNullable<PermitsOptions['approvers']>>(),
  ticketOf: functionRule<NonNullable<PermitsOptions['ticketOf']>>(),
  standing: {
    type: 'group',
    default: undefined,
    of: {
      offers: validRule<Offers>(
        (value) => typeof value === 'function' || isListOfChoices(value),
        'a list of choices (day, week, always or never), or a function of the customer',
      ),
      initially: { type: 'oneOf', values: ['rule', 'ask', 'always'], default: 'rule' },
    },
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
