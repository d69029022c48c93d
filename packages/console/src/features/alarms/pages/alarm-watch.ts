import { urgencyOf } from 'oidc-provider-impersonation-verify/format'
import type { AlarmsAnswer, ChangedEvent, RowAnswer } from '../../../web/answers.ts'
import { isAbout } from '../../../web/session/live.ts'
import { onePerSession, Watch } from '../../../web/session/watch.ts'

/** The open alarms of a session; what is new is a new urgent one. One for the frame and the page of the alarms. */
export class AlarmWatch extends Watch<RowAnswer> {
  static readonly of = onePerSession((session) => new AlarmWatch(session))
  /** To look at now. */
  urgent: readonly RowAnswer[] = []
  /** Worth knowing. */
  notable: readonly RowAnswer[] = []
  #count = -1

  /** All, in the order in which the page shows them. */
  get rows(): readonly RowAnswer[] {
    return [...this.urgent, ...this.notable]
  }

  protected async read(): Promise<readonly RowAnswer[]> {
    const { urgent, notable } = await this.session.ask<AlarmsAnswer>('/alarms')
    const known = new Set(this.urgent.map(urgencyKey))
    this.urgent = urgent
    this.notable = notable
    return this.state === 'ready' ? urgent.filter((row) => !known.has(urgencyKey(row))) : []
  }

  protected concerns(change: ChangedEvent): boolean {
    const isOther = change.alarms !== this.#count
    this.#count = change.alarms
    return isOther || isAbout(() => this.rows.map(({ id }) => id))(change)
  }
}

/** Something urgent that happens again has another key. */
export function urgencyKey({ id, alarm }: RowAnswer): string {
  return `${id} ${alarm ? urgencyOf(alarm) : 0}`
}

/** An alarm that happens again has another key. */
export function alarmKey({ id, alarm }: RowAnswer): string {
  return `${id} ${alarm?.count ?? 0}`
}
