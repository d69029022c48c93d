import type { Provider } from 'oidc-provider-impersonation'
import { resolve } from 'oidc-provider-impersonation/siblings'
import { present } from 'oidc-provider-impersonation-verify/format'
import { allReadable } from '../audit/readable.ts'
import { openedStore } from '../audit/stores/opened-store.ts'
import { approvals } from './approvals.ts'
import { permitsContext } from './context.ts'
import { deciders } from './deciders.ts'
import { invalid } from './inputs.ts'
import { offersOf } from './offers.ts'
import type { AttachOptions, Permits, PermitsOptions, TicketOf } from './options.ts'
import { pausesOf } from './pauses.ts'
import { approvalIn, isOpenPermit, type Permit, permitAt } from './permit.ts'
import { refusalIn } from './refusals.ts'
import { finishRevocations } from './revocations.ts'
import { DEFAULT_DURATIONS_S, PERMITS_RULES } from './shape.ts'
import { standingAnswers } from './standing.ts'
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
  const durations = Object.freeze([...(settings.durations ?? DEFAULT_DURATIONS_S)])
  const store = openedStore(settings.audit)
  const timeoutMs = settings.timeout * 1000
  const standing = settings.standing && {
    initially: settings.standing.initially,
    findOffers: offersOf(settings.standing.offers, timeoutMs),
  }
  const { context, isAttached, attach } = permitsContext({ store, now, timeoutMs, onPermit })
  const { attached, reading } = context
  const isRefusal = (permit: Permit) =>
    refusalIn(permit, now(), settings.pause * 1000) !== undefined
  let given: AttachOptions = {}
  let stop: (() => Promise<void>) | undefined
  const mayApprove = () => given.mayApprove
  const decided = deciders({ approvers, mayApprove, timeoutMs })
  const hasApprovers = approvers !== undefined
  const held = pausesOf(context, decided.assertMay)
  const asked = approvals(context, { deciders: decided, hasApprovers, ...times })
  const answers = standingAnswers(context, standing)

  return {
    ...{ durations, audit: settings.audit, hasApprovers },
    hasStanding: standing !== undefined,
    wrap: (rule) =>
      wrapRule(rule, {
        store: {
          permits: (...args) => reading(() => store.permits(...args)),
          slotHolder: (slot) => reading(() => store.slotHolder(slot)),
        },
        ...{ standing, ticketOf, now },
        assertUsable() {
          if (!attached().impersonation.canEnd) {
            throw new Error('permits need impersonations that can be ended')
          }
        },
      }),
    attach(provider: Provider, more: AttachOptions = {}) {
      if (!approvers && !more.mayApprove && !isAttached()) {
        throw new TypeError(
          'options.approvers is required where attach(provider, { mayApprove }) does not say who may approve: (permit) => a list of { id, name }',
        )
      }
      given = { ...given, ...more }
      attach(provider, given)
      stop ??= finishRevocations(store, provider, now)
    },
    ...asked,
    async request(request, how) {
      if (durations.includes(request.for)) return asked.request(request, how)
      throw invalid(`for must be one of ${durations.join(', ')}`)
    },
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
    findOffers: async (customer) => standing?.findOffers(customer) ?? [],
    pauses: held.list,
    resume: held.resume,
    getAnswer: answers.find,
    standing: answers.get,
    setStanding: answers.choose,
    async close() {
      await stop?.()
    },
  }
}

const ticketInContext: TicketOf = ({ context: { ticketId } }) =>
  typeof ticketId === 'string' ? ticketId : undefined
