import { ALL_ROLES } from '../../../kernel/roles.ts'
import { type StaffRoute, staff } from '../../../web/routes.ts'
import {
  askToErase,
  confirmErasure,
  type ErasingCall,
  exportPerson,
  forErasers,
  listRequests,
  searchPeople,
  showPerson,
} from './api.ts'

const WRITES = { writes: true } as const

export const personalDataRoutes: readonly StaffRoute<ErasingCall>[] = [
  staff.get('/personal-data', ALL_ROLES, forErasers(listRequests)),
  staff.get('/personal-data/customers', ALL_ROLES, forErasers(searchPeople), { hasQuery: true }),
  staff.get('/personal-data/people/:id', ALL_ROLES, forErasers(showPerson)),
  staff.get('/personal-data/people/:id/export.jsonl', ALL_ROLES, forErasers(exportPerson), {
    ...{ writes: true, streams: true },
  }),
  staff.post('/personal-data/people/:id/erase', ALL_ROLES, forErasers(askToErase), WRITES),
  staff.post('/personal-data/requests/:id/confirm', ALL_ROLES, forErasers(confirmErasure), WRITES),
]
