import type { At } from '../../../../web/kit/at.ts'
import { OWN_ID } from '../../../../web/own-id.ts'
import { linesFor } from '../../../../web/pages/table.ts'
import { OBJECTION, objections } from './objections.ts'
import { CHOICE, CUSTOMER_WORDS, customersAnswers } from './of-customer.ts'
import type { CustomerPermitCall } from './shown.ts'

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
      ...Object.entries(CUSTOMER_WORDS).map(([name, word]) => {
        const after = () => ({ said: { key: SAID[word] } })
        return action(`/permits/${name}`, [], OWN_ID, say(word), { after })
      }),
      action('/permits/standing', [], CHOICE, choose, {
        after: ({ choice }) => ({
          said: { key: choice === 'allow' ? 'standingAllow' : 'standingAsk' },
        }),
      }),
    ],
  }
}

const SAID = {
  granted: 'permitAllowed',
  declined: 'permitRefused',
  revoked: 'permitRevoked',
} as const
