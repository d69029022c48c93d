import type { ComponentType } from 'preact'
import { ALL_ROLES, SUPERVISING_ROLES } from '../../kernel/roles.ts'
import type { RowAnswer } from '../../web/answers.ts'
import { linesFor } from '../../web/pages/table.ts'
import { historyPage } from '../views/history-page.tsx'
import { recordPage } from '../views/record-page.tsx'
import { exportHistory, HISTORY, listHistory } from './history.ts'
import { ACKNOWLEDGEMENT, acknowledgeAlarm } from './inbox.ts'
import { saidOf, say, showRecord, WORD } from './record.ts'
import type { RecordCall } from './shown.ts'
import { STOP, stopOperator } from './stops.ts'

const { action, file, page } = linesFor<RecordCall>()

/** @param Rows shows impersonations */
export const recordPages = (Rows: ComponentType<{ rows: readonly RowAnswer[] }>) => [
  page('/records', ALL_ROLES, HISTORY, listHistory, historyPage),
  // An export is an entry of the audit.
  file('/records/export.csv', SUPERVISING_ROLES, exportHistory, { writes: true }),
  page('/records/:id', ALL_ROLES, {}, showRecord, recordPage(Rows)),
  action('/records/:id/:event', ALL_ROLES, WORD, say, {
    after: (record) => ({ said: saidOf(record) }),
  }),
  action('/audit/:id/acknowledge', ['lead'], ACKNOWLEDGEMENT, acknowledgeAlarm, {
    writes: true,
    says: 'acknowledged',
  }),
  action('/stops', ['lead'], STOP, stopOperator, { says: 'stopped' }),
]
