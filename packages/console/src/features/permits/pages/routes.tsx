import { ALL_ROLES } from '../../../kernel/roles.ts'
import { words } from '../../../web/kit/text.tsx'
import type { Route } from '../../../web/session/page-routes.ts'
import { HistoryPage } from './history-page.tsx'
import { PermitPage, type RowsPart } from './permit-page.tsx'
import { PermitsPage } from './permits-page.tsx'

/** @param Rows shows impersonations */
export function permitPages(Rows: RowsPart): readonly Route[] {
  return [
    {
      path: '/approvals',
      roles: ALL_ROLES,
      page: PermitsPage,
      needs: 'permits',
      link: words.permits.link,
      shows: 'toDecide',
    },
    { path: '/approvals/history', roles: ALL_ROLES, page: HistoryPage, needs: 'permits' },
    {
      path: '/approvals/:id',
      roles: ALL_ROLES,
      page: (props) => <PermitPage {...props} Rows={Rows} />,
      needs: 'permits',
    },
  ]
}
