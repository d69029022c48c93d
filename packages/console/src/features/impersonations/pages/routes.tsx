import { ACTING_ROLES } from '../../../kernel/roles.ts'
import type { Route } from '../../../web/session/page-routes.ts'
import type { ApprovalPart } from './operators/act-form.tsx'
import { ActPage } from './operators/act-page.tsx'
import { ContinuePage } from './running/continue-page.tsx'

/** Where operators find customers and act as them, and what runs. */
export function actingPages<T>(approvalPart: ApprovalPart<T>): readonly Route[] {
  return [
    {
      path: '/act',
      roles: ACTING_ROLES,
      page: (props) => <ActPage {...props} approvalPart={approvalPart} />,
      hasForm: true,
    },
    { path: '/continue/:id', roles: ACTING_ROLES, page: ContinuePage },
  ]
}
