import { SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import { linesFor } from '../../../web/pages/table.ts'
import type { Call } from '../../../web/parts.ts'
import { rulesPage } from '../views/rules-page.tsx'
import { QUESTION, showRules } from './rules.ts'

const { page } = linesFor<Call>()

export const RULE_PAGES = [page('/rules', SUPERVISING_ROLES, QUESTION, showRules, rulesPage)]
