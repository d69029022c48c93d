import { ALL_ROLES } from '../../../../kernel/roles.ts'
import { linesFor } from '../../../../web/pages/table.ts'
import { pausePage, pausesPage } from '../../views/pauses.tsx'
import { LIFT, listPauses, PAGE, PAUSE, pauseOperator, resume, showPause } from './pauses.ts'
import type { PermitCall } from './shown.ts'

const { action, page } = linesFor<PermitCall>()

export const permitPages = [
  page('/pauses', ALL_ROLES, PAGE, listPauses, pausesPage),
  action('/pauses', ['lead'], PAUSE, pauseOperator, { after: () => ({ said: { key: 'paused' } }) }),
  page('/pauses/:id', ALL_ROLES, {}, showPause, pausePage),
  action('/pauses/:id/resume', ALL_ROLES, LIFT, resume, {
    after: () => ({ said: { key: 'pauseLifted' } }),
  }),
]
