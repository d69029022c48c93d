import { ALL_ROLES, SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import { words } from '../../../web/kit/text.tsx'
import type { Route } from '../../../web/session/page-routes.ts'
import { AuditPage } from './audit/audit-page.tsx'
import { ImpersonationPage } from './audit/impersonation-page.tsx'

const { audit } = words.impersonations

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
