import type { ComponentType } from 'preact'
import { ALL_ROLES, SUPERVISING_ROLES } from '../../../../kernel/roles.ts'
import type { RowAnswer } from '../../../../web/answers.ts'
import { linesFor } from '../../../../web/pages/table.ts'
import { historyPage } from '../../views/history-page.tsx'
import { pausePage } from '../../views/pauses.tsx'
import { permitPage } from '../../views/permit-page.tsx'
import { DECISION, decide } from './decide.ts'
import { exportHistory, HISTORY, listHistory } from './history.ts'
import { showPermit } from './lists.ts'
import { LIFT, PAUSE, pauseOperator, resume, showPause } from './pauses.ts'
import type { PermitCall } from './shown.ts'

const { action, file, page } = linesFor<PermitCall>()
/** An export is an entry of the audit. */
const EXPORTS = { writes: true, streams: true } as const

const SAID = {
  grant: 'permitGranted',
  refuse: 'permitRefused',
  review: 'permitReviewed',
} as const

/** @param Rows shows impersonations */
export const permitPages = (Rows: ComponentType<{ rows: readonly RowAnswer[] }>) => [
  page('/approvals/history', ALL_ROLES, HISTORY, listHistory, historyPage),
  file('/approvals/history.csv', SUPERVISING_ROLES, exportHistory, EXPORTS),
  page('/approvals/:id', ALL_ROLES, {}, showPermit, permitPage(Rows)),
  ...(['grant', 'refuse', 'review'] as const).map((what) =>
    action(`/permits/:id/${what}`, ALL_ROLES, DECISION, decide(what), {
      after: () => ({ said: { key: SAID[what] } }),
    }),
  ),
  action('/permits/:id/revoke', ALL_ROLES, DECISION, decide('revoke'), {
    after: ({ grantedAt }) => ({
      said: { key: grantedAt === undefined ? 'permitWithdrawn' : 'permitRevoked' },
    }),
  }),
  action('/pauses', ['lead'], PAUSE, pauseOperator, { after: () => ({ said: { key: 'paused' } }) }),
  page('/pauses/:id', ALL_ROLES, {}, showPause, pausePage),
  action('/pauses/:id/resume', ALL_ROLES, LIFT, resume, {
    after: () => ({ said: { key: 'pauseLifted' } }),
  }),
]
