import { ALL_ROLES } from '../../../kernel/roles.ts'
import { words } from '../../../web/kit/text.tsx'
import type { Route } from '../../../web/session/page-routes.ts'
import { PersonPage } from './person-page.tsx'
import { PersonalDataPage } from './personal-data-page.tsx'

const FOR_ERASERS = { roles: ALL_ROLES, needs: 'mayErase' } as const

export const personalDataPages: readonly Route[] = [
  {
    ...{ path: '/personal-data', page: PersonalDataPage, link: words.personalData.title },
    ...FOR_ERASERS,
  },
  { path: '/personal-data/:id', page: PersonPage, hasForm: true, ...FOR_ERASERS },
]
