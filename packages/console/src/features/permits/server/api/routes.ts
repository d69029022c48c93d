import { ALL_ROLES, SUPERVISING_ROLES } from '../../../../kernel/roles.ts'
import { linesFor } from '../../../../web/pages/table.ts'
import { type StaffRoute, staff } from '../../../../web/routes.ts'
import type { At } from '../../../../web/view/at.ts'
import { decide } from './decide.ts'
import { exportHistory, listHistory } from './history.ts'
import { listPermits, showPermit } from './lists.ts'
import { OBJECTION, objections } from './objections.ts'
import { CHOICE, CUSTOMER_WORDS, customersAnswers, OWN_PERMIT } from './of-customer.ts'
import type { CustomerPermitCall, PermitCall } from './shown.ts'

/** An export is an entry of the audit. */
const EXPORTS = { writes: true, streams: true, hasQuery: true } as const

export const permitRoutes: readonly StaffRoute<PermitCall>[] = [
  staff.get('/permits', ALL_ROLES, listPermits, { hasQuery: true }),
  staff.get('/permits/history', ALL_ROLES, listHistory, { hasQuery: true }),
  staff.get('/permits/history.csv', SUPERVISING_ROLES, exportHistory, EXPORTS),
  staff.get('/permits/:id', ALL_ROLES, showPermit),
  ...(['grant', 'refuse', 'revoke', 'review'] as const).map((what) =>
    staff.post(`/permits/:id/${what}`, ALL_ROLES, decide(what)),
  ),
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
