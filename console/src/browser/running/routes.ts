import type { Route } from '../routes.ts'
import { words } from '../text.tsx'
import { RunningPage } from './running-page.tsx'

export const runningRoutes: readonly Route[] = [
  {
    path: '/running',
    roles: ['operator', 'lead', 'auditor'],
    page: RunningPage,
    link: words.running.title,
  },
]
