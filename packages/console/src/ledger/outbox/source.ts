import {
  type AlertTry,
  type NoticeKind,
  type NoticeTry,
  present,
  type RowNotice,
} from 'oidc-provider-impersonation-verify/format'

/** What is to be told, as it was read. */
export interface Due {
  /** Of the impersonation, or the permit. */
  readonly id: string
  /**
   * Stores that an attempt begins.
   *
   * @param time in milliseconds since the epoch
   * @returns `undefined` where another process has the attempt, where it is told with something else, or
   * where it is too late
   */
  begin(time: number): Promise<BegunAttempt | undefined>
}

/** An attempt that is stored: no other process has it. */
export interface BegunAttempt {
  /** @throws Error where it could not be told now */
  tell(signal: AbortSignal): Promise<unknown>
  /**
   * Stores what became of it.
   *
   * @param time in milliseconds since the epoch
   */
  finish(isTold: boolean, time: number): Promise<void>
}

/** Where what is due stands. */
export interface OutboxSource {
  /** What is due, and not under way in another process. The oldest comes first. */
  findDue(now: number, limit: number): Promise<readonly Due[]>
}

/** The attempt after the last one. */
export function nextTry(last: RowNotice['last'], kinds: readonly NoticeKind[]): NoticeTry {
  return { kinds, attempt: (last?.attempt ?? 0) + 1, failures: last?.failures ?? 0 }
}

/** What an entry has of an attempt that is over. */
export function triedOutcome(tried: NoticeTry, isTold: boolean) {
  const { kinds, attempt, failures } = tried
  return {
    event: isTold ? ('support.notified' as const) : ('support.unnotified' as const),
    notice: present({ kinds, attempt, failures: isTold ? 0 : failures + 1 }),
  }
}

/** The attempt after the last one. */
export function nextAlert(
  last: RowNotice['last'],
  { kind, count }: Pick<AlertTry, 'count' | 'kind'>,
): AlertTry {
  return { kind, count, attempt: (last?.attempt ?? 0) + 1, failures: last?.failures ?? 0 }
}

/** What an entry has of an attempt that is over. */
export function triedAlert(tried: AlertTry, isTold: boolean) {
  return {
    event: isTold ? ('support.alerted' as const) : ('support.unalerted' as const),
    alert: { ...tried, failures: isTold ? 0 : tried.failures + 1 },
  }
}
