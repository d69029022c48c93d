import { limitTime } from 'oidc-provider-impersonation/siblings'
import {
  type AuditRecord,
  type Named,
  type SaidEvent,
  type Speaking,
  speakersOf,
  whoSays,
} from 'oidc-provider-impersonation-verify/format'
import { log } from '../kernel/log-line.ts'
import { PermitError } from './errors.ts'
import type { Permit } from './record-at.ts'

/** A person who may decide. */
export interface Approver extends Named {
  /** The account id. */
  readonly id: string
}

/** What a decision is about: the record as it is shown. */
export type DecidedOn = Pick<AuditRecord, 'by' | 'customer' | 'kind' | 'operator'>

/** Whether a person is a lead now. */
export type IsLead = (accountId: string) => boolean | Promise<boolean>

/**
 * Asks the deployment who may decide, in this moment. Never who asks, and never the customer.
 *
 * @param timeoutMs how long the deployment may take
 */
export function whoOf(
  approvers: ((about: never) => readonly Approver[] | Promise<readonly Approver[]>) | undefined,
  isLead: IsLead,
  timeoutMs: number,
) {
  let isWarned = false
  const kept = new WeakMap<DecidedOn, readonly Approver[]>()

  const late = () => new Error('it does not answer')
  const asked = async <T>(ask: () => T | Promise<T>) =>
    limitTime(timeoutMs, (async () => ask())(), late).catch((cause: unknown) => {
      const message = 'who may decide cannot be looked up now'
      throw new PermitError('temporarily_unavailable', message, { cause })
    })

  /** Those who may decide; `undefined` where the leads may. */
  async function find(about: DecidedOn): Promise<readonly Approver[] | undefined> {
    if (!approvers) return undefined
    const known = kept.get(about)
    kept.delete(about)
    if (known) return known
    // It is a record as it is shown, of a kind that approvers decide on.
    const answer: unknown = await asked(() => approvers(about as never))
    const all = Array.isArray(answer) ? answer.filter(isApprover) : []
    if ((!Array.isArray(answer) || all.length < answer.length) && !isWarned) {
      isWarned = true
      log('options.approvers must answer a list of { id, name }: anything else is nobody')
    }
    return all.filter(({ id }) => !isConcerned(about, id))
  }

  async function isOne(about: DecidedOn, id: string, what: 'approver' | 'lead'): Promise<boolean> {
    const all = what === 'approver' ? await find(about) : undefined
    if (all) return all.some((each) => each.id === id)
    return (await asked(() => isLead(id))) === true
  }

  return {
    approvers: find,
    /** As what a person may say something of a record. */
    async of(about: DecidedOn, id: string | undefined, event: SaidEvent): Promise<Speaking> {
      const found: Speaking['is'][number][] = []
      const wanted = whoSays(about, event)
      const isAsked = id !== undefined && !isConcerned(about, id)
      for (const what of ['approver', 'lead'] as const) {
        const isEnough = !isAsked || found.length > 0 || !wanted.includes(what)
        if (!isEnough && (await isOne(about, id, what))) found.push(what)
      }
      return { id, is: found }
    },
    /** The deployment was asked about this a moment ago: who asks next for the same object is told that. */
    keep(about: DecidedOn, all: readonly Approver[] | undefined): void {
      if (all) kept.set(about, all)
    },
    /** @returns who may. @throws PermitError where it is known that there is no one */
    async assertSomebody(permit: Permit) {
      const all = await find(permit)
      if (all?.length !== 0) return all
      throw new PermitError('no_approver', 'there is no person who may decide on this')
    },
  }
}

/** Whether a person speaks for themselves alone. */
function isConcerned(about: DecidedOn, id: string): boolean {
  return !speakersOf(about, { id, is: ['approver'] }).includes('approver')
}

function isApprover(value: unknown): value is Approver {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    typeof value.id === 'string' &&
    (!('name' in value) || value.name === undefined || typeof value.name === 'string')
  )
}
