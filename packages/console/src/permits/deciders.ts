import { limitTime } from 'oidc-provider-impersonation/siblings'
import { log } from '../audit/log-line.ts'
import { PermitError } from './errors.ts'
import type { Approver, AttachOptions, PermitsOptions } from './options.ts'
import type { Pause, Permit } from './permit.ts'

/** Who may decide for the second person, asked in this moment. Never who asks, and never the customer. */
export interface Deciders {
  /** `undefined` where there is no list: then whoever may approve by `mayApprove`. */
  find(about: Pause | Permit): Promise<readonly Approver[] | undefined>
  /** @throws PermitError for a person who may not */
  assertMay(about: Pause | Permit, by: string): Promise<void>
  /** @throws PermitError where it is known that there is no one */
  assertSomebody(permit: Permit): Promise<void>
}

export interface DecidersOptions extends Pick<PermitsOptions, 'approvers'> {
  /** What `attach` was given; asked where there is no list. */
  readonly mayApprove: () => AttachOptions['mayApprove']
  /** How long the deployment may take, in milliseconds. */
  readonly timeoutMs: number
}

export function deciders({ approvers, mayApprove, timeoutMs }: DecidersOptions): Deciders {
  let isWarned = false

  /** @throws PermitError where the deployment does not say it, or not in time */
  async function asked<T>(ask: () => T | Promise<T>): Promise<T> {
    const late = () => new Error('approvers do not answer')
    const answer = async () => await ask()
    return limitTime(timeoutMs, answer(), late).catch((cause: unknown) => {
      const message = 'who may decide cannot be looked up now'
      throw new PermitError('temporarily_unavailable', message, { cause })
    })
  }

  async function find(about: Pause | Permit): Promise<readonly Approver[] | undefined> {
    if (!approvers) return undefined
    const answer: unknown = await asked(() => approvers(about))
    const all = Array.isArray(answer) ? answer.filter(isApprover) : []
    if ((!Array.isArray(answer) || all.length < answer.length) && !isWarned) {
      isWarned = true
      log('options.approvers must answer a list of { id, name }: anything else is nobody')
    }
    return all.filter(({ id }) => !isConcerned(about, id))
  }

  async function isOne(about: Pause | Permit, by: string): Promise<boolean> {
    if (isConcerned(about, by)) return false
    const all = await find(about)
    if (all) return all.some(({ id }) => id === by)
    return (await asked(() => mayApprove()?.(by))) === true
  }

  return {
    find,
    async assertMay(about, by) {
      if (await isOne(about, by)) return
      throw new PermitError('access_denied', 'you may not decide on this')
    },
    async assertSomebody(permit) {
      const all = await find(permit)
      if (all?.length !== 0) return
      throw new PermitError('no_approver', 'there is no person who may decide on this')
    },
  }
}

function isConcerned({ operator, customer }: Pause | Permit, id: string): boolean {
  return id === operator.id || id === customer?.id
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
