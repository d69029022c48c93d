import type { Provider } from 'oidc-provider-impersonation'
import { descriptionsOf, requiredBinding, resolve } from 'oidc-provider-impersonation/siblings'
import { type AuditRecord, present } from 'oidc-provider-impersonation-verify/format'
import { startOutbox } from '../../../ledger/outbox/outbox.ts'
import { allReadable } from '../../../ledger/readable.ts'
import { ledgerOf } from '../../../ledger/recording/ledger.ts'
import { recorder } from '../../../ledger/recording/recorder.ts'
import { noSuchRecord } from '../../../records/errors.ts'
import { recordAt } from '../../../records/record-at.ts'
import { createRecords } from '../../../records/records.ts'
import { answers } from './answers.ts'
import { asking, parseRequest } from './ask.ts'
import type { AttachOptions, Permits, PermitsOptions, TicketOf } from './options.ts'
import { changesToTell } from './permit-alerts.ts'
import { PERMITS_RULES } from './shape.ts'
import { warnOfUnbound } from './unbound.ts'
import { wrapRule } from './wrap.ts'

const MAX_LISTED = 100

/**
 * Makes permits. They exist before the provider, because its `authorize` needs them, and begin with
 * `attach(provider)`.
 *
 * @throws TypeError with the dotted path of an option that is unknown or wrong
 */
export function createPermits(options: PermitsOptions): Permits {
  return permitsWith(options)
}

/** Permits with what the console needs of them beside that. */
export type ConsolePermits = ReturnType<typeof permitsWith>

/** @param now the clock, in milliseconds since the epoch */
export function permitsWith(options: PermitsOptions, now: () => number = () => Date.now()) {
  const settings = resolve(PERMITS_RULES, options, 'options')
  const { audit, approvers, onPermit, standing, ticketOf = ticketInContext, ...times } = settings
  const hasApprovers = approvers !== undefined
  const records = createRecords({
    audit,
    approvers,
    now,
    timeoutMs: settings.timeout * 1000,
    alerts: onPermit !== undefined,
  })
  const { store, reading } = records
  let given: AttachOptions = {}
  let stopTelling: (() => Promise<void>) | undefined

  function issueAs() {
    if (given.issueAs !== undefined) return given.issueAs
    throw new Error(
      'a request for a permit asks the rule: give permits.attach(provider, { issueAs }) the id of a client that managementApi.clients.issue names',
    )
  }

  const { open, findDeciders } = asking(records, hasApprovers, issueAs, times)
  const shown = <R extends AuditRecord>(record: R) => recordAt(record, now())

  const permits: Permits = {
    wrap(rule) {
      const wrapped = wrapRule(rule, records, standing, ticketOf)
      return Object.assign(wrapped, { description: descriptionsOf(rule, 'permits.wrap: the rule') })
    },
    attach(provider: Provider, more: AttachOptions = {}) {
      const isFirst = !records.isAttached
      if (!approvers && !more.isLead && isFirst) {
        throw new TypeError(
          'options.approvers is required where attach(provider, { isLead }) does not say who is a lead: (permit) => a list of { id, name }',
        )
      }
      given = { ...given, ...more }
      records.attach(provider, more)
      if (isFirst && !more.isBound) warnOfUnbound(requiredBinding(provider))
      if (!onPermit || stopTelling) return
      const urlOf = (permit: string) => given.urlOf?.(permit)
      const recording = recorder(ledgerOf(audit).log)
      const outbox = startOutbox({
        recorder: recording,
        to: 'deployment',
        who: 'approvers',
        now,
        sources: [changesToTell(store, onPermit, urlOf)],
      })
      stopTelling = async () => {
        await outbox.stop()
        await recording.close()
      }
    },
    async request(request, how) {
      return shown(await open('requested', ...parseRequest(request), how))
    },
    async emergency(request, how) {
      return shown(await open('emergency', ...parseRequest(request), how))
    },
    decide: async (id, event, saying) => shown(await records.say(id, event, saying)),
    async get(id) {
      const record = await records.find(id)
      return record && shown(record)
    },
    async list({ before, isOpen, ...filter } = {}) {
      const asked = { ...filter, notOverAt: isOpen && now() }
      const page = await reading(() => store.permits(asked, { before, limit: MAX_LISTED }))
      const records = allReadable(page.permits).map(shown)
      return { records, ...present({ next: page.next }) }
    },
    answer: answers(records, standing),
    async stop(stopping) {
      const { stop } = await records.stop(stopping)
      if (stop) return shown(stop)
      throw noSuchRecord()
    },
    lift: records.lift,
    async close() {
      const stop = stopTelling
      // Attached again, it begins again.
      stopTelling = undefined
      await records.close()
      await stop?.()
    },
  }
  return {
    ...permits,
    audit,
    records,
    open,
    findDeciders,
    /** Without approvers, there is no emergency. */
    hasApprovers,
    /** `true` if customers may answer for all requests. */
    hasStanding: standing !== undefined,
  }
}

const ticketInContext: TicketOf = ({ context: { ticketId } }) =>
  typeof ticketId === 'string' ? ticketId : undefined
