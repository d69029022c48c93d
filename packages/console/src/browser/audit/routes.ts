import { words } from '../kit/text.tsx'
import type { Route } from '../session/page-routes.ts'
import { AlarmsPage } from './alarms-page.tsx'
import { AuditPage } from './audit-page.tsx'
import { ImpersonationPage } from './impersonation-page.tsx'
import { PermitPage } from './permit-page.tsx'

const { audit } = words.impersonations

export const auditRoutes: readonly Route[] = [
  { path: '/audit', roles: ['operator'], page: AuditPage, link: audit.linkOwn },
  {
    path: '/audit',
    roles: ['lead', 'auditor'],
    page: AuditPage,
    link: audit.link,
    landing: ['auditor'],
  },
  { path: '/audit/:id', roles: ['operator', 'lead', 'auditor'], page: ImpersonationPage },
  {
    path: '/approvals/:id',
    roles: ['operator', 'lead', 'auditor'],
    page: PermitPage,
    needsPermits: true,
  },
  {
    path: '/alarms',
    roles: ['lead', 'auditor'],
    page: AlarmsPage,
    link: words.alarms.page.link,
    shows: 'alarms',
  },
]
