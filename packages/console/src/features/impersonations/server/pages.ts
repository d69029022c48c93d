import { ALL_ROLES } from '../../../kernel/roles.ts'
import { linesFor } from '../../../web/pages/table.ts'
import type { Call } from '../../../web/parts.ts'
import { peoplePage } from '../views/people-page.tsx'
import { SOUGHT, suggestPeople } from './people.ts'

const { page } = linesFor<Call>()

export const impersonationPages = [page('/people', ALL_ROLES, SOUGHT, suggestPeople, peoplePage)]
