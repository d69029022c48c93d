import {
  type AuditPerson,
  type AuditRow,
  type GivenPermit,
  present,
} from 'oidc-provider-impersonation-verify/format'
import type { Notice, NoticeKind } from '../notice.ts'

/** What is to be told, by the audit alone. */
export interface Facts
  extends Pick<
    Notice,
    'at' | 'endedAt' | 'expiresAt' | 'impersonation' | 'kind' | 'permit' | 'startedAt'
  > {
  readonly customer: AuditPerson
  /** Absent where the customer did it. */
  readonly operator?: AuditPerson | undefined
  /** Whether support did it, or wants to. */
  readonly isBySupport: boolean
  /** The client id. */
  readonly application?: string | undefined
  readonly scope?: string | undefined
  /** What an operator typed. */
  readonly ticket?: string | undefined
  /** The impersonation of which it is told what was done. */
  readonly done?: AuditRow | undefined
  /** What makes the id, beside the kind. */
  readonly identity: readonly string[]
}

export function factsOfRow(row: AuditRow, kinds: readonly NoticeKind[]): Facts {
  const { id, customer, operator, startedAt = row.at, expiresAt, end } = row
  const isOver = kinds.includes('ended')
  const endedAt = end?.at ?? expiresAt ?? row.lastAt
  return {
    ...{ kind: isOver ? 'ended' : 'started', impersonation: id, identity: [id], startedAt },
    ...{ customer: customer ?? { id: '' }, isBySupport: true, at: isOver ? endedAt : startedAt },
    ...present({ operator, application: row.application, scope: row.scope, ticket: row.ticket }),
    ...(isOver ? { endedAt, done: row } : present({ expiresAt })),
  }
}

export function factsOfPermit(permit: GivenPermit, kind: NoticeKind): Facts {
  const { id, customer, requestedAt: at } = permit
  const about = { kind, permit: id, customer, at, identity: [id] }
  if (permit.kind === 'standing') {
    return { ...about, isBySupport: false, ...present({ expiresAt: permit.until }) }
  }
  const { operator, application, scope, ticket } = permit
  return {
    ...{ ...about, operator, application, scope, isBySupport: true },
    ...present({ ticket, expiresAt: kind === 'asked' ? permit.lapsesAt : permit.until }),
  }
}
