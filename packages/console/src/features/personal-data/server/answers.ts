import type { AuditPerson } from 'oidc-provider-impersonation-verify/format'
import type { CustomerAnswer } from '../../../web/answers.ts'
import type { InForce } from './in-force.ts'

export type PersonAnswered = Omit<AuditPerson, 'email'>

/** So many, from one moment to another: in milliseconds since the epoch. */
export interface Span {
  readonly count: number
  readonly from?: number
  readonly to?: number
}

export interface ErasureRequestAnswer {
  readonly id: string
  readonly at: number
  readonly lapsesAt: number
  readonly by: PersonAnswered
  readonly customer: PersonAnswered
  readonly note?: string
  /** Whether it was confirmed, and something is left of the person. */
  readonly isBegun: boolean
  readonly isMine: boolean
  readonly canConfirm: boolean
}

/** `GET /personal-data?q=`: who may erase, as all routes here. 404 if the console has no `mayErase`. */
export interface ErasureRequestsAnswer {
  readonly requests: readonly ErasureRequestAnswer[]
  /** The text by which people were sought, and who was found. */
  readonly asked?: string
  readonly customers?: readonly CustomerAnswer[]
  readonly more?: boolean
}

/** `GET /personal-data/:id`: also of a person whom no directory knows. */
export interface PersonAnswer extends AuditPerson {
  /** Whether the directory knows the person. */
  readonly isKnown: boolean
  /** Impersonations, and refused requests, as the customer. */
  readonly asCustomer: Span
  /** Permits, stops and answers about the customer. */
  readonly permits: Span
  /** Requests to APIs as the customer. */
  readonly uses: number
  /** Impersonations of which the customer was told. */
  readonly notices: number
  /** Impersonations on hold. */
  readonly held: number
  /** What may not be erased now, at most 100. */
  readonly inForce: readonly InForce[]
  readonly request?: ErasureRequestAnswer
  readonly isMe: boolean
}
