import type { AuditEntry, NoticeKind, RowNotice } from 'oidc-provider-impersonation-verify/format'
import type { Notice } from '../notice.ts'

/** What a customer is to be told, as it was read. */
export interface DueNotice {
  /** Of the impersonation, or the permit. */
  readonly id: string
  readonly last: RowNotice['last']
  /** The members of an entry that say what it is about. */
  readonly about: Pick<AuditEntry, 'id' | 'permit' | 'subject'>
  /** What is due by now. */
  kindsDue(now: number): readonly NoticeKind[]
  /** @throws Error where it cannot be told now */
  write(kinds: readonly NoticeKind[]): Promise<Notice>
}

/** Where what is due stands. */
export interface NoticeSource {
  /** What is due, and not under way in another process. The oldest comes first. */
  findDue(now: number, limit: number): Promise<readonly DueNotice[]>
  /**
   * Stores the entry by which an attempt begins.
   *
   * @returns what is to be told, as it is now; `undefined` where another process has the attempt, or it
   * is too late
   */
  begin(due: DueNotice, entry: AuditEntry): Promise<DueNotice | undefined>
  /** Stores what became of it. */
  finish(due: DueNotice, entry: AuditEntry): Promise<void>
}
