import {
  type AuditRow,
  type NoticeKind,
  noticeKindsDue,
} from 'oidc-provider-impersonation-verify/format'
import type { Recorder } from '../audit/recording/recorder.ts'
import type { AuditStore } from '../audit/store.ts'
import type { Notice } from '../notice.ts'
import type { DueNotice, NoticeSource } from './source.ts'

/** Of impersonations: their rows have what is due. */
export function rowNotices(
  store: Pick<AuditStore, 'find' | 'row'>,
  recorder: Pick<Recorder, 'record' | 'recordMissing'>,
  write: (row: AuditRow, kinds: readonly NoticeKind[]) => Promise<Notice>,
): NoticeSource {
  const dueOf = (row: AuditRow): DueNotice => ({
    ...{ id: row.id, last: row.notice?.last, about: { id: row.id, subject: row.customer?.id } },
    kindsDue: (now) => noticeKindsDue(row, now),
    write: (kinds) => write(row, kinds),
  })

  return {
    async findDue(now, limit) {
      const { rows } = await store.find({ noticeDueBefore: now }, { limit, now, oldestFirst: true })
      return rows.map(dueOf)
    },
    async begin({ id }, entry) {
      if (!(await recorder.recordMissing(entry))) return undefined
      // It may have ended meanwhile.
      const row = await store.row(id)
      return row && dueOf(row)
    },
    finish: (_, entry) => recorder.record(entry),
  }
}
