import { ACTING_ROLES, SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import { words } from '../../../web/kit/text.tsx'
import type { Route } from '../../../web/session/page-routes.ts'
import type { ApprovalPart } from './operators/act-form.tsx'
import { ActPage } from './operators/act-page.tsx'
import { ContinuePage } from './running/continue-page.tsx'
import { RunningPage } from './running/running-page.tsx'

const { running } = words.impersonations

/** Where operators find customers and act as them, and what runs. */
export function actingPages<T>(approvalPart: ApprovalPart<T>): readonly Route[] {
  return [
    {
      path: '/act',
      roles: ACTING_ROLES,
      page: (props) => <ActPage {...props} approvalPart={approvalPart} />,
      hasForm: true,
    },
    { path: '/running', roles: SUPERVISING_ROLES, page: RunningPage, link: running.title },
    { path: '/continue/:id', roles: ACTING_ROLES, page: ContinuePage },
  ]
}
