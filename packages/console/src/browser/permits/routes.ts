import { words } from '../kit/text.tsx'
import type { Route } from '../session/page-routes.ts'
import { PausePage } from './pause-page.tsx'
import { PermitsPage } from './permits-page.tsx'

const roles = ['operator', 'lead', 'auditor'] as const

export const permitRoutes: readonly Route[] = [
  { path: '/pauses/:id', roles, page: PausePage },
  {
    ...{ path: '/approvals', roles, page: PermitsPage, needsPermits: true },
    ...{ link: words.permits.link, shows: 'toDecide' },
  },
]
