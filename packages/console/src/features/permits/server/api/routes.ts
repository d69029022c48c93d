import { ACTING_ROLES } from '../../../../kernel/roles.ts'
import { linesFor } from '../../../../web/pages/table.ts'
import { type StaffRoute, staff } from '../../../../web/routes.ts'
import type { At } from '../../../../web/view/at.ts'
import { ask, askInEmergency, preview } from './ask.ts'
import { OBJECTION, objections } from './objections.ts'
import { CHOICE, CUSTOMER_WORDS, customersAnswers, OWN_PERMIT } from './of-customer.ts'
import type { CustomerPermitCall, PermitCall } from './shown.ts'

export const permitRoutes: readonly StaffRoute<PermitCall>[] = [
  staff.post('/impersonations/preview', ACTING_ROLES, preview),
  staff.post('/permits', ACTING_ROLES, ask),
  staff.post('/permits/emergency', ACTING_ROLES, askInEmergency),
]

/** Each console counts for itself what its customers say. */
export function customerPermits() {
  const { list, say, choose } = customersAnswers()
  const { action } = linesFor<CustomerPermitCall, At>()
  return {
    list,
    actions: [
      action('/objection', [], OBJECTION, objections(), {
        after: ({ isPaused, isEnded }) => ({
          said: {
            key: isEnded
              ? isPaused
                ? 'objectedPaused'
                : 'objected'
              : isPaused
                ? 'objectedPausedNotEnded'
                : 'objectedNotEnded',
          },
        }),
      }),
      ...CUSTOMER_WORDS.map((word) => {
        const after = () => ({ said: { key: SAID[word] } })
        return action(`/permits/${word}`, [], OWN_PERMIT, say(word), { after })
      }),
      action('/permits/standing', [], CHOICE, choose, {
        after: (standing) => ({ said: { key: SAVED[standing?.choice ?? 'rule'] } }),
      }),
    ],
  }
}

const SAVED = {
  ask: 'standingAsk',
  allow: 'standingAllow',
  rule: 'standingAsk',
} as const

const SAID = {
  grant: 'permitAllowed',
  refuse: 'permitRefused',
  revoke: 'permitRevoked',
} as const
