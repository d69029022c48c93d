import { SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import { type StaffRoute, staff } from '../../../web/routes.ts'
import { mayAct } from './may-act.ts'
import { showRules } from './rules.ts'

export const ruleRoutes: readonly StaffRoute[] = [
  staff.get('/rules', SUPERVISING_ROLES, showRules),
  staff.post('/may-act', SUPERVISING_ROLES, mayAct),
]
