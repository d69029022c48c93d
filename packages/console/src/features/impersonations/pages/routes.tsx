import { ACTING_ROLES, ALL_ROLES, SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import { words } from '../../../web/kit/text.tsx'
import type { Route } from '../../../web/session/page-routes.ts'
import { AuditPage } from './audit/audit-page.tsx'
import { ImpersonationPage } from './audit/impersonation-page.tsx'
import type { ApprovalPart } from './operators/act-form.tsx'
import { ActPage } from './operators/act-page.tsx'
import { ContinuePage } from './running/continue-page.tsx'

const { audit } = words.impersonations

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

export const auditPages: readonly Route[] = [
  { path: '/audit', roles: ['operator'], page: AuditPage, link: audit.linkOwn },
  {
    path: '/audit',
    roles: SUPERVISING_ROLES,
    page: AuditPage,
    link: audit.link,
    hasSearch: true,
  },
  { path: '/audit/:id', roles: ALL_ROLES, page: ImpersonationPage },
]
