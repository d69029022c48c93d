import { words } from '../kit/text.tsx'
import type { Route } from '../session/page-routes.ts'
import { ContinuePage } from './continue-page.tsx'
import { RunningPage } from './running-page.tsx'

export const runningRoutes: readonly Route[] = [
  {
    path: '/running',
    roles: ['operator', 'lead', 'auditor'],
    page: RunningPage,
    link: words.impersonations.running.title,
  },
  { path: '/continue/:id', roles: ['operator', 'lead'], page: ContinuePage },
]
