import type { ComponentType } from 'preact'
import { SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import { linesFor } from '../../../web/pages/table.ts'
import type { Call } from '../../../web/parts.ts'
import { rulesPage } from '../views/rules-page.tsx'
import { QUESTION, showRules } from './rules.ts'

const { page } = linesFor<Call>()

/** @param Needed says which approval is missing, and who can give it */
export const rulePages = (Needed: ComponentType<{ approval: object }>) => [
  page('/rules', SUPERVISING_ROLES, QUESTION, showRules, rulesPage(Needed)),
]
