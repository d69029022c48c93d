import { linesFor } from '../../../web/pages/table.ts'
import type { Call } from '../../../web/parts.ts'
import { ACKNOWLEDGEMENT, acknowledgeAlarm } from './acknowledge.ts'

export const alarmActions = [
  linesFor<Call>().action('/audit/:id/acknowledge', ['lead'], ACKNOWLEDGEMENT, acknowledgeAlarm, {
    writes: true,
    after: () => ({ said: { key: 'acknowledged' } }),
  }),
]
