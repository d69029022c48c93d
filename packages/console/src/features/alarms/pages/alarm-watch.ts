import type { AlarmsAnswer, ChangedEvent, RowAnswer } from '../../../web/answers.ts'
import { isAbout } from '../../../web/session/live.ts'
import { onePerSession, Watch } from '../../../web/session/watch.ts'

/** The open alarms of a session; what is new is a new one. One for the frame and the page of the alarms. */
export class AlarmWatch extends Watch<RowAnswer> {
  static readonly of = onePerSession((session) => new AlarmWatch(session))
  /** In the order in which the page shows them. */
  rows: readonly RowAnswer[] = []
  #count = -1

  protected async read(): Promise<readonly RowAnswer[]> {
    const { alarms } = await this.session.ask<AlarmsAnswer>('/alarms')
    const known = new Set(this.rows.map(alarmKey))
    this.rows = alarms
    return this.state === 'ready' ? alarms.filter((row) => !known.has(alarmKey(row))) : []
  }

  protected concerns(change: ChangedEvent): boolean {
    const isOther = change.alarms !== this.#count
    this.#count = change.alarms
    return isOther || isAbout(() => this.rows.map(({ id }) => id))(change)
  }
}

/** An alarm that happens again has another key. */
export function alarmKey({ id, alarm }: RowAnswer): string {
  return `${id} ${alarm?.count ?? 0}`
}
