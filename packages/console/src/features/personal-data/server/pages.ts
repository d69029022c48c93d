import { ALL_ROLES } from '../../../kernel/roles.ts'
import { linesFor } from '../../../web/pages/table.ts'
import { personPage } from '../views/person-page.tsx'
import { personalDataPage } from '../views/personal-data-page.tsx'
import {
  askToErase,
  ERASE_NOTE,
  type ErasingCall,
  exportPerson,
  listRequests,
  REQUEST_PAGE,
  showPerson,
} from './api.ts'

const { action, file, page } = linesFor<ErasingCall>()

export const PERSONAL_DATA_PAGES = [
  page('/personal-data', ALL_ROLES, REQUEST_PAGE, listRequests, personalDataPage),
  page('/personal-data/:id', ALL_ROLES, {}, showPerson, personPage),
  file('/personal-data/:id/export.jsonl', ALL_ROLES, exportPerson, { writes: true }),
  action('/personal-data/:id/erase', ALL_ROLES, ERASE_NOTE, askToErase, {
    writes: true,
    says: 'askedToErase',
  }),
]
