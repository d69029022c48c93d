import { randomBytes } from 'node:crypto'
import type { Need, Provider } from 'oidc-provider-impersonation'
import { present } from '#glue/present'
import { resolve } from '#glue/resolve-options'
import { limitTime } from '#glue/time-limit'
import type { AuditEntry } from '../audit/entry.ts'
import { log } from '../audit/log-line.ts'
import { foldPermit, type PermitRecord, parsePermit } from '../audit/permit.ts'
import { openedStore } from '../audit/stores/opened-store.ts'
import { reasonOf } from '../reason.ts'
import { decisions, unreadable } from './decisions.ts'
import { PermitError } from './errors.ts'
import {
  invalid,
  MAX_ID_LENGTH,
  MAX_NOTE_LENGTH,
  noteOf,
  parseFacts,
  parseNeeds,
  parseText,
} from './inputs.ts'
import type { Approver, PermitRequest, Permits, PermitsOptions, Saying } from './options.ts'
import { needsReview, type Permit, permitAt } from './permit.ts'
import { endUnder, finishRevocations } from './revocations.ts'
import { aboutOf, assertMayRequest, assertUndecided, emergencySlot, requestSlot } from './rules.ts'
import { DEFAULT_DURATIONS_S, PERMITS_SHAPE } from './shape.ts'
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
  const settings = resolve(PERMITS_SHAPE, options, 'options')
  const durations = settings.durations ?? DEFAULT_DURATIONS_S
  const store = openedStore(settings.audit)
  const timeoutMs = settings.timeout * 1000
  let provider: Provider | undefined
  let stop: (() => Promise<void>) | undefined

  const decide = decisions(store, {
    timeoutMs,
    sign: (claims) => attached().impersonation.signCheckpoint(claims),
  })

  function attached(): Provider {
    if (!provider) throw new Error('permits.attach(provider) comes first')
    return provider
  }

  /** @throws PermitError where the storage fails, or does not answer in time */
  async function reading<T>(ask: () => Promise<T>): Promise<T> {
    const late = () => new Error('it does not answer')
    return limitTime(timeoutMs, ask(), late).catch((cause) => Promise.reject(unreadable(cause)))
  }

  async function findApprovers(permit: Permit): Promise<readonly Approver[]> {
    const all = await settings.approvers(permit)
    return all.filter(({ id }) => id !== permit.operator.id && id !== permit.customer.id)
  }

  async function assertApprover(permit: Permit, by: string): Promise<void> {
    const all = await findApprovers(permit)
    if (!all.some(({ id }) => id === by)) {
      throw new PermitError('access_denied', 'you may not decide on this')
    }
  }

  async function find(id: string): Promise<PermitRecord> {
    const stored = await reading(() => store.permit(id))
    if (!stored) throw new PermitError('not_found', 'there is no such permit')
    return parsePermit(stored)
  }

  /** After the last entry, also where the clock was set back. */
  const timeAfter = (record: PermitRecord) => Math.max(now(), record.lastAt)

  async function change(
    id: string,
    entryOf: (record: PermitRecord, time: number) => Omit<AuditEntry, 'time'>,
  ): Promise<Permit> {
    attached()
    const record = await decide.decide(id, (stored) => {
      if (!stored) throw new PermitError('not_found', 'there is no such permit')
      const time = timeAfter(stored)
      const { event, ...rest } = entryOf(stored, time)
      return { event, time, ...aboutOf(stored), ...rest }
    })
    if (!record) throw new PermitError('not_found', 'there is no such permit')
    return announce(record)
  }

  function announce(record: PermitRecord): Permit {
    const permit = permitAt(record, now())
    const { onPermit } = settings
    const call = async () => onPermit?.(permit)
    call().catch((error: unknown) => log(`onPermit failed: ${reasonOf(error)}`))
    return permit
  }

  async function decideNeed(id: string, { by, note }: Saying, isGranted: boolean): Promise<Permit> {
    const before = permitAt(await find(id), now())
    const need =
      parseText('by', by, MAX_ID_LENGTH) === before.customer.id ? 'user' : 'second_person'
    // Approvers are asked in this moment: what was granted before stays.
    if (need === 'second_person') await assertApprover(before, by)
    return change(id, (record, time) => {
      assertUndecided(record, need, time)
      const event = isGranted ? 'support.granted' : 'support.declined'
      return { event, by, need, ...noteOf(note) }
    })
  }

  async function open(
    event: 'support.emergency' | 'support.requested',
    request: Omit<PermitRequest, 'for'>,
    window: number,
  ): Promise<Permit> {
    attached()
    const facts = parseFacts(request)
    const needs = parseNeeds(request.needs)
    const { customer, operator, application, resource, scope } = facts
    const context = {
      ticketId: parseText('ticket', request.ticket, MAX_ID_LENGTH),
      reason: parseText('reason', request.reason, MAX_NOTE_LENGTH),
    }
    const isEmergency = event === 'support.emergency'
    const id = randomBytes(32).toString('base64url')
    const slot = isEmergency ? emergencySlot(operator) : requestSlot(facts)
    const entryAt = (time: number): AuditEntry => ({
      ...{ event, time, by: operator, permit: id, subject: customer },
      ...{ mayAct: { sub: operator, clientId: application }, resource, scope, context },
      terms: {
        ...{ needs, for: window },
        ...(isEmergency ? { review: 'emergency' } : { lapsesAt: time + settings.lapse * 1000 }),
      },
    })
    // An emergency is reviewed by a second person.
    await assertSomebody(entryAt(now()), isEmergency ? ['second_person'] : needs)
    const record = await decide.open(slot, (holder) => {
      const time = holder ? timeAfter(holder) : now()
      if (isEmergency) assertReviewed(holder, time)
      else assertMayRequest(holder, time, settings.pause * 1000)
      return entryAt(time)
    })
    return announce(record)
  }

  function assertReviewed(holder: PermitRecord | undefined, time: number): void {
    const permit = holder && permitAt(holder, time)
    if (permit && needsReview(permit)) {
      throw new PermitError('review_due', 'your last emergency has to be reviewed first', {
        permit,
      })
    }
  }

  /** It is said at once where there is no person who could decide. */
  async function assertSomebody(entry: AuditEntry, needs: readonly Need[]): Promise<void> {
    if (!needs.includes('second_person')) return
    const permit = permitAt(foldPermit(undefined, entry), now())
    if ((await findApprovers(permit)).length > 0) return
    throw new PermitError('no_approver', 'there is no person who may decide on this')
  }

  return {
    wrap: (rule) =>
      wrapRule(rule, {
        store: { permits: (...args) => reading(() => store.permits(...args)) },
        now,
        assertUsable() {
          if (!attached().impersonation.canEnd) {
            throw new Error('permits need impersonations that can be ended')
          }
        },
      }),
    attach(given) {
      if (given?.impersonation?.canEnd !== true) {
        throw new TypeError(
          'permits.attach(provider) needs a Provider of oidc-provider-impersonation whose impersonations can be ended',
        )
      }
      if (provider && provider !== given) throw new TypeError('permits are attached already')
      provider = given
      stop ??= finishRevocations(store, given, now)
    },
    async request(request) {
      if (!durations.includes(request.for))
        throw invalid(`for must be one of ${durations.join(', ')}`)
      return open('support.requested', request, request.for)
    },
    emergency: (request) => open('support.emergency', request, settings.emergency),
    grant: (id, saying) => decideNeed(id, saying, true),
    refuse: (id, saying) => decideNeed(id, saying, false),
    async revoke(id, { by, note }) {
      const before = permitAt(await find(id), now())
      const isOwn = [before.customer.id, before.operator.id].includes(by)
      if (!isOwn) await assertApprover(before, parseText('by', by, MAX_ID_LENGTH))
      const permit = await change(id, (record, time) => {
        // By what is stored: a clock that is ahead must not keep it.
        if (record.state !== 'granted' && record.state !== 'requested') {
          throw new PermitError('decided', 'it is over already', { permit: permitAt(record, time) })
        }
        return { event: 'support.revoked', by, ...noteOf(note) }
      })
      await endUnder(attached(), permit).catch((error: unknown) =>
        log(`what a revoked permit allowed is not ended yet: ${reasonOf(error)}`),
      )
      return permit
    },
    async review(id, { by, note }) {
      const before = permitAt(await find(id), now())
      await assertApprover(before, parseText('by', by, MAX_ID_LENGTH))
      const written = parseText('note', note, MAX_NOTE_LENGTH)
      return change(id, (record, time) => {
        const permit = permitAt(record, time)
        if (!needsReview(permit))
          throw new PermitError('decided', 'there is nothing to review', { permit })
        return { event: 'support.reviewed', by, note: written }
      })
    },
    async get(id) {
      const stored = await reading(() => store.permit(id))
      return stored && permitAt(parsePermit(stored), now())
    },
    async list({ before, isOpen, ...filter } = {}) {
      const found = { ...filter, notOverAt: isOpen ? now() : undefined }
      const { permits, next } = await reading(() =>
        store.permits(found, { before, limit: MAX_PERMITS_LISTED }),
      )
      const all = permits.map((stored) => permitAt(parsePermit(stored), now()))
      return { permits: all, ...present({ next }) }
    },
    findApprovers,
    async close() {
      await stop?.()
    },
  }
}
