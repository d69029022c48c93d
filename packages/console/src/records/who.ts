import { BoundedMap, limitTime } from 'oidc-provider-impersonation/siblings'
import {
  type AuditRecord,
  type Named,
  type Speaking,
  speakersOf,
} from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { log } from '../kernel/log-line.ts'
import { PermitError } from './errors.ts'
import { type Permit, recordAt, type Stop } from './record-at.ts'

/** A person who may decide. */
export interface Approver extends Named {
  /** The account id. */
  readonly id: string
}

const APPROVER = v.object({ id: v.string(), name: v.optional(v.string()) })

/** The people who may decide on a record; `undefined` for the leads. */
export type Approvers = readonly Approver[] | undefined

/** Finds the people who may decide on a permit, or lift a stop. */
export type FindApprovers = (
  about: Permit | Stop,
) => readonly Approver[] | Promise<readonly Approver[]>

/** Checks whether a person is a lead now. */
export type IsLead = (accountId: string) => boolean | Promise<boolean>

/** The number of records whose approvers are remembered. */
const MAX_REMEMBERED = 10_000

/**
 * Asks the deployment who may decide, in this moment. Never who asks, and never the customer.
 *
 * @param ask for the approvers; `undefined`: the leads
 * @param timeoutMs how long the deployment may take
 */
export function whoOf(
  ask: FindApprovers | undefined,
  isLead: IsLead,
  now: () => number,
  timeoutMs: number,
) {
  let isWarned = false
  const answers = new BoundedMap<string, Promise<Approvers>>(MAX_REMEMBERED)

  const asked = async <T>(ask: () => T | Promise<T>) =>
    limitTime(timeoutMs, (async () => ask())()).catch((cause: unknown) => {
      const message = 'who may decide cannot be looked up now'
      throw new PermitError('temporarily_unavailable', message, { cause })
    })

  async function find(about: AuditRecord): Promise<Approvers> {
    if (!ask) return undefined
    // It is a record as it is shown, of a kind that approvers decide on.
    const answer: unknown = await asked(() => ask(recordAt(about, now()) as Permit | Stop))
    const all = Array.isArray(answer) ? answer.filter((each) => v.is(APPROVER, each)) : []
    if ((!Array.isArray(answer) || all.length < answer.length) && !isWarned) {
      isWarned = true
      log('options.approvers must answer a list of { id, name }: anything else is nobody')
    }
    return all.filter(({ id }) => !isConcerned(about, id))
  }

  /** Asks the deployment. */
  function approvers(about: AuditRecord): Promise<Approvers> {
    const answer = find(about)
    answers.set(about.id, answer)
    // A question that failed is asked again.
    answer.catch(() => answers.delete(about.id))
    return answer
  }

  return {
    /** Asks, and remembers nothing: about a record that is not stored. */
    find,
    approvers,
    /** The last answer about a record: for what is shown, and decides nothing. */
    knownApprovers: (about: AuditRecord) => answers.get(about.id) ?? approvers(about),
    /** Finds the roles of a person. Whoever is an approver is not looked up as a lead. */
    async of(about: AuditRecord, id: string | undefined): Promise<Speaking> {
      if (id === undefined || isConcerned(about, id)) return { id, is: [] }
      const all = await approvers(about)
      if (all?.some((each) => each.id === id)) return { id, is: ['approver'] }
      return speakerOf(id, (await asked(() => isLead(id))) === true, all)
    },
  }
}

/** The roles of a person of the support. */
export function speakerOf(id: string, isLead: boolean, approvers: Approvers): Speaking {
  const isApprover = approvers?.some((each) => each.id === id) ?? isLead
  const roles = ['lead', 'approver'] as const
  return { id, is: roles.filter((role) => (role === 'lead' ? isLead : isApprover)) }
}

/** Checks whether a person speaks for themselves alone. */
function isConcerned(about: AuditRecord, id: string) {
  return !speakersOf(about, { id, is: ['approver'] }).includes('approver')
}
