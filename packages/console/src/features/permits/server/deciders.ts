import { limitTime } from 'oidc-provider-impersonation/siblings'
import { log } from '../../../kernel/log-line.ts'
import type { Pause } from '../../../web/pause-answers.ts'
import { PermitError } from './errors.ts'
import type { Approver, AttachOptions, PermitsOptions } from './options.ts'
import type { Permit } from './permit.ts'

/** Who may decide for the second person, asked in this moment. Never who asks, and never the customer. */
export interface Deciders {
  /** `undefined` where there is no list: then whoever may approve by `mayApprove`. */
  find(about: Pause | Permit): Promise<readonly Approver[] | undefined>
  /** @throws PermitError for a person who may not */
  assertMay(about: Pause | Permit, by: string): Promise<void>
  /** @returns who may. @throws PermitError where it is known that there is no one */
  assertSomebody(permit: Permit): Promise<readonly Approver[] | undefined>
  /** The deployment was asked about this a moment ago: who asks next for the same object is told that. */
  keep(permit: Permit, approvers: readonly Approver[] | undefined): void
}

export interface DecidersOptions extends Pick<PermitsOptions, 'approvers'> {
  /** What `attach` was given; asked where there is no list. */
  readonly mayApprove: () => AttachOptions['mayApprove']
  /** How long the deployment may take, in milliseconds. */
  readonly timeoutMs: number
}

export function deciders({ approvers, mayApprove, timeoutMs }: DecidersOptions): Deciders {
  let isWarned = false
  const kept = new WeakMap<Pause | Permit, readonly Approver[]>()

  const late = () => new Error('it does not answer')
  const asked = async <T>(ask: () => T | Promise<T>) =>
    limitTime(timeoutMs, (async () => ask())(), late).catch((cause: unknown) => {
      const message = 'who may decide cannot be looked up now'
      throw new PermitError('temporarily_unavailable', message, { cause })
    })

  async function find(about: Pause | Permit): Promise<readonly Approver[] | undefined> {
    if (!approvers) return undefined
    const known = kept.get(about)
    kept.delete(about)
    if (known) return known
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
      const permit = about.kind === 'stop' ? undefined : about
      throw new PermitError('access_denied', 'you may not decide on this', { permit })
    },
    keep(permit, approvers) {
      if (approvers) kept.set(permit, approvers)
    },
    async assertSomebody(permit) {
      const all = await find(permit)
      if (all?.length !== 0) return all
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
