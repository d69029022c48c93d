import type { Provider } from 'oidc-provider-impersonation'
import { descriptionsOf, requiredBinding, resolve } from 'oidc-provider-impersonation/siblings'
import { present } from 'oidc-provider-impersonation-verify/format'
import { type Outbox, startOutbox } from '../../../ledger/outbox/outbox.ts'
import { allReadable } from '../../../ledger/readable.ts'
import { ledgerOf } from '../../../ledger/recording/ledger.ts'
import { approvals } from './approvals.ts'
import { permitsContext } from './context.ts'
import { deciders } from './deciders.ts'
import type { AttachOptions, Permits, PermitsOptions, TicketOf } from './options.ts'
import { pausesOf } from './pauses.ts'
import { approvalIn, isOpenPermit, type Permit, permitAt } from './permit.ts'
import { changesToTell } from './permit-alerts.ts'
import { refusalIn } from './refusals.ts'
import { finishRevocations } from './revocations.ts'
import { PERMITS_RULES } from './shape.ts'
import { standingAnswers } from './standing.ts'
import { warnOfUnbound } from './unbound.ts'
import { wrapRule } from './wrap.ts'

const MAX_PERMITS_LISTED = 100

/**
 * Makes permits. They exist before the provider, because its `authorize` needs them, and begin with
 * `attach(provider)`.
 *
 * @throws TypeError with the dotted path of an option that is unknown or wrong
 */
export function createPermits(options: PermitsOptions): Permits {
  return permitsWith(options, () => Date.now())
}

/** @param now the clock, in milliseconds since the epoch */
export function permitsWith(options: PermitsOptions, now: () => number): Permits {
  const settings = resolve(PERMITS_RULES, options, 'options')
  const { approvers, onPermit, ticketOf = ticketInContext, ...times } = settings
  const ledger = ledgerOf(settings.audit)
  const { store } = ledger
  const timeoutMs = settings.timeout * 1000
  const { standing } = settings
  const { context, isAttached, attach } = permitsContext({
    ...{ ledger, now, timeoutMs },
    alerts: onPermit !== undefined,
  })
  const { attached, reading } = context
  const isRefusal = (permit: Permit) => refusalIn(permit, now()) !== undefined
  let given: AttachOptions = {}
  let stop: (() => Promise<void>) | undefined
  let outbox: Outbox | undefined
  const mayApprove = () => given.mayApprove
  const decided = deciders({ approvers, mayApprove, timeoutMs })
  const hasApprovers = approvers !== undefined
  const held = pausesOf(context, decided.assertMay)
  const asked = approvals(context, { deciders: decided, hasApprovers, ...times })
  const answers = standingAnswers(context, standing)

  return {
    ...{ audit: settings.audit, hasApprovers },
    hasStanding: standing !== undefined,
    wrap(rule) {
      const wrapped = wrapRule(rule, {
        ...{ standing, ticketOf, now },
        findInForce: (wanted) => reading(() => store.permitsInForce(wanted)),
        assertUsable() {
          if (!attached().impersonation.canEnd) {
            throw new Error('permits need impersonations that can be ended')
          }
        },
      })
      return Object.assign(wrapped, { description: descriptionsOf(rule, 'permits.wrap: the rule') })
    },
    attach(provider: Provider, more: AttachOptions = {}) {
      if (!approvers && !more.mayApprove && !isAttached()) {
        throw new TypeError(
          'options.approvers is required where attach(provider, { mayApprove }) does not say who may approve: (permit) => a list of { id, name }',
        )
      }
      const isFirst = !isAttached()
      given = { ...given, ...more }
      attach(provider, given)
      if (isFirst && !more.isBound) warnOfUnbound(requiredBinding(provider))
      stop ??= finishRevocations(store, provider, now)
      if (!onPermit) return
      const urlOf = (permit: string) => given.urlOf?.(permit)
      outbox ??= startOutbox({
        ...{ ledger, to: 'deployment', who: 'approvers', now },
        sources: [changesToTell(store, onPermit, urlOf)],
      })
    },
    ...asked,
    async list({ before, isOpen, isAwaited, ...filter } = {}) {
      const state = isAwaited && ('requested' as const)
      const found = { ...filter, state, notOverAt: isOpen || isAwaited ? now() : undefined }
      const { permits, next } = await reading(() =>
        store.permits(found, { before, limit: MAX_PERMITS_LISTED }),
      )
      const all = allReadable(permits).flatMap((each) => {
        const record = approvalIn(each)
        const permit = record && permitAt(record, now())
        const isShown = !isOpen || (permit && (isOpenPermit(permit) || isRefusal(permit)))
        return permit && isShown ? permit : []
      })
      return { permits: all, ...present({ next }) }
    },
    findApprovers: decided.find,
    pauses: held.list,
    resume: held.resume,
    getAnswer: answers.find,
    standing: answers.get,
    setStanding: answers.choose,
    async close() {
      const [running, telling] = [stop, outbox]
      // Attached again, they begin again.
      stop = undefined
      outbox = undefined
      await running?.()
      await telling?.stop()
    },
  }
}

const ticketInContext: TicketOf = ({ context: { ticketId } }) =>
  typeof ticketId === 'string' ? ticketId : undefined
