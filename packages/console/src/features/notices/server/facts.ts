import {
  type AnswerRecord,
  type AuditPerson,
  type AuditRow,
  isPermit,
  type PermitRecord,
  present,
  type Unapproved,
  unapprovedBy,
  unapprovedIn,
} from 'oidc-provider-impersonation-verify/format'
import type { Notice, NoticeKind } from './notice.ts'

/** What is to be told, by the audit alone. */
export interface NoticeFacts
  extends Pick<
    Notice,
    | 'at'
    | 'endedAt'
    | 'expiresAt'
    | 'impersonations'
    | 'kind'
    | 'permit'
    | 'startedAt'
    | 'unapproved'
  > {
  readonly customer: AuditPerson
  /** Absent where the customer did it. */
  readonly operator?: AuditPerson | undefined
  /** Whether support did it, or wants to. */
  readonly isBySupport: boolean
  /** What may be done where: an application by its client id. */
  readonly access: readonly Access[]
  /** What an operator typed. */
  readonly ticket?: string | undefined
  /** The impersonations of which it is told what was done. The first comes first. */
  readonly done?: readonly AuditRow[] | undefined
  /** What makes the id, beside the kind. */
  readonly identity: readonly string[]
}

type Access = Pick<AuditRow, 'application' | 'scope'>

/** @param others of the same operator, customer and ticket */
export function factsOfRows(
  row: AuditRow,
  others: readonly AuditRow[],
  kinds: readonly NoticeKind[],
): NoticeFacts {
  const { id, customer, operator, ticket } = row
  const rows = [row, ...others]
  const inOrder = rows.toSorted((one, other) => startOf(one) - startOf(other))
  const startedAt = Math.min(...rows.map(startOf))
  const isOver = kinds.includes('ended')
  const endedAt = Math.max(
    ...rows.map(({ end, expiresAt, lastAt }) => end?.at ?? expiresAt ?? lastAt),
  )
  const ends = rows.flatMap(({ expiresAt }) => expiresAt ?? [])
  return {
    kind: isOver ? 'ended' : 'started',
    impersonations: inOrder.map((row) => row.id),
    identity: [id],
    customer: customer ?? { id: '' },
    isBySupport: true,
    at: isOver ? endedAt : startedAt,
    startedAt,
    access: inOrder,
    ...present({ operator, ticket, unapproved: unapprovedOf(rows) }),
    ...(isOver
      ? { endedAt, done: inOrder }
      : present({ expiresAt: ends.length > 0 ? Math.max(...ends) : undefined })),
  }
}

const startOf = ({ startedAt, at }: AuditRow) => startedAt ?? at

export function factsOfPermit(permit: AnswerRecord | PermitRecord, kind: NoticeKind): NoticeFacts {
  const { id, customer, requestedAt: at } = permit
  const about = { kind, permit: id, customer, at, identity: [id] }
  if (!isPermit(permit)) return { ...about, isBySupport: false, access: [] }
  const { operator, application, scope, ticket } = permit
  return {
    ...{ ...about, operator, access: [{ application, scope }], isBySupport: true },
    ...present({ ticket, expiresAt: kind === 'asked' ? permit.lapsesAt : permit.until }),
    ...present({ unapproved: unapprovedBy(permit) }),
  }
}

/** Of several, one after a refusal counts for all. */
function unapprovedOf(rows: readonly AuditRow[]): Unapproved | undefined {
  const marks = rows.flatMap(({ review }) => unapprovedIn(review) ?? [])
  return marks.find((mark) => mark === 'after_refusal') ?? marks[0]
}
