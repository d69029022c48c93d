import type { ComponentType } from 'preact'
import { SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import type { AlarmsAnswer } from '../../../web/answers.ts'
import { linesFor } from '../../../web/pages/table.ts'
import type { Call } from '../../../web/parts.ts'
import type { PauseAnswer } from '../../../web/pause-answers.ts'
import { alarmsPage } from '../views/alarms-page.tsx'
import { ACKNOWLEDGEMENT, acknowledgeAlarm } from './acknowledge.ts'
import { findAlarms } from './list.ts'

/** What other features put on the page. */
export interface PausesPart<C> {
  findPauses(call: C): Promise<readonly PauseAnswer[]>
  readonly Paused: ComponentType<{ of: readonly PauseAnswer[] }>
}

export function alarmPages<C extends Call>({ findPauses, Paused }: PausesPart<C>) {
  const { action, page } = linesFor<C>()
  const showAlarms = async (call: C): Promise<AlarmsAnswer> => {
    const [alarms, pauses] = await Promise.all([findAlarms(call), findPauses(call)])
    return { alarms, pauses, now: call.now() }
  }
  return [
    page('/alarms', SUPERVISING_ROLES, {}, showAlarms, alarmsPage(Paused)),
    action('/audit/:id/acknowledge', ['lead'], ACKNOWLEDGEMENT, acknowledgeAlarm, {
      writes: true,
      after: () => ({ said: { key: 'acknowledged' } }),
    }),
  ]
}
