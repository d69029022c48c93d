import { ALL_ROLES } from '../../../kernel/roles.ts'
import { page } from '../../../web/pages/table.ts'
import type { Call } from '../../../web/parts.ts'
import { peoplePage } from '../views/people-page.tsx'
import { SOUGHT, suggestPeople } from './people.ts'

export const impersonationPages = [
  page<Call, typeof SOUGHT, Awaited<ReturnType<typeof suggestPeople>>>(
    '/people',
    ALL_ROLES,
    SOUGHT,
    suggestPeople,
    peoplePage,
  ),
]
