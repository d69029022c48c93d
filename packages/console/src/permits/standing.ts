import { createHash, randomBytes } from 'node:crypto'
import { standingSlot } from 'oidc-provider-impersonation-verify/chain'
import {
  type AnyPermit,
  type AuditEntry,
  parseAny,
} from 'oidc-provider-impersonation-verify/format'
import type { PermitsContext } from './context.ts'
import { invalid, MAX_ID_LENGTH, parseText } from './inputs.ts'
import type { Standing, StandingChoice, StandingOptions } from './options.ts'

const DAY_S = 86_400
/** Length of each choice, in seconds; `undefined` for one without an end. */
const LENGTHS_S: Readonly<Record<Exclude<StandingChoice, 'ask'>, number | undefined>> = {
  day: DAY_S,
  week: 7 * DAY_S,
  always: undefined,
}

const PERMITS_PER_READ = 100

/** What holds for a customer. */
export interface StandingNow extends Standing {
  /** Of what runs by it. */
  readonly id: string
}

/** What customers answer for all requests. */
export interface StandingAnswers {
  get(customer: string): Promise<Standing>
  /** Stores the choice; what was open before is closed, and ends, where support is to ask each time. */
  choose(customer: string, choice: StandingChoice): Promise<Standing>
}

/** What runs by what the deployment says, before the customer said anything, has this permit. */
const initialIdOf = (customer: string) =>
  createHash('sha256')
    .update(JSON.stringify(['initially', customer]))
    .digest('base64url')

/** @param holder the newest answer of the customer */
export function standingNow(
  customer: string,
  holder: AnyPermit | undefined,
  initially: StandingOptions['initially'],
  now: number,
): StandingNow {
  const { id, state, until } =
    holder?.kind === 'standing' ? holder : { id: initialIdOf(customer), state: undefined }
  const isOpen = state === undefined ? initially === 'always' : state === 'granted'
  if (!isOpen || (until !== undefined && now >= until)) return { id, choice: 'ask' }
  if (until === undefined) return { id, choice: 'always' }
  const length = until - (holder?.requestedAt ?? 0)
  return { id, choice: length > DAY_S * 1000 ? 'week' : 'day', until }
}

export function standingAnswers(
  { decide, store, now, attached, reading, ...context }: PermitsContext,
  { offers, initially }: StandingOptions,
): StandingAnswers {
  const read = async (customer: string) => {
    const holder = await reading(() => store.slotHolder(standingSlot(customer)))
    return holder && parseAny(holder)
  }
  const nowOf = (customer: string, holder: AnyPermit | undefined): Standing => {
    const { id: _, ...standing } = standingNow(customer, holder, initially, now())
    return standing
  }
  const aboutOf = (customer: string) => ({ subject: customer, by: customer })

  async function write(
    customer: string,
    id: string,
    choice: StandingChoice,
    mark: Pick<AuditEntry, 'notify'> = {},
  ): Promise<AnyPermit> {
    const length = choice === 'ask' ? undefined : LENGTHS_S[choice]
    const entry: Omit<AuditEntry, 'time'> = {
      ...{ event: choice === 'ask' ? 'support.closed' : 'support.opened', permit: id },
      ...aboutOf(customer),
      terms: { needs: ['user'], ...(length === undefined ? {} : { for: length }) },
    }
    const names = await context.findNames({ ...entry, time: now() })
    return decide.open(standingSlot(customer), (holder) => ({
      ...{ ...entry, time: Math.max(now(), holder?.lastAt ?? 0) },
      ...{ ...names, ...mark },
    }))
  }

  /** What the customer allowed, and is not over: also what a second person has still to decide on. */
  async function allowed(customer: string): Promise<AnyPermit[]> {
    const found: AnyPermit[] = []
    for (const state of ['granted', 'requested'] as const) {
      for (let before: string | undefined; ; ) {
        const filter = { customer, state, notOverAt: now() } as const
        const page = await reading(() => store.permits(filter, { before, limit: PERMITS_PER_READ }))
        found.push(...page.permits.map(parseAny).filter(isByCustomer))
        before = page.next
        if (before === undefined) break
      }
    }
    return found
  }

  async function revoke(customer: string, permit: AnyPermit): Promise<void> {
    const about = {
      ...{ permit: permit.id, ...aboutOf(customer) },
      ...(permit.kind === 'standing'
        ? {}
        : { mayAct: { sub: permit.operator.id, clientId: permit.application } }),
    }
    const names = await context.findNames({ event: 'support.revoked', time: now(), ...about })
    const record = await decide.decide(permit.id, (stored) => ({
      ...{ event: 'support.revoked', time: Math.max(now(), stored?.lastAt ?? 0), ...about },
      ...names,
    }))
    if (!record) return
    if (record.kind !== 'standing') context.announce(record)
    await context.end(record)
  }

  async function close(customer: string): Promise<Standing> {
    const before = await read(customer)
    if (before === undefined && initially === 'always') {
      // So that what runs by it ends as everything that is revoked.
      await write(customer, initialIdOf(customer), 'always')
    }
    for (const permit of await allowed(customer)) await revoke(customer, permit)
    // Where the deployment says otherwise, the answer is kept.
    if (initially === 'ask') return nowOf(customer, await read(customer))
    const closed = await write(customer, newId(), 'ask')
    // What another process opened meanwhile counts no more.
    for (const permit of await allowed(customer)) await revoke(customer, permit)
    return nowOf(customer, closed)
  }

  return {
    get: async (customer) => nowOf(customer, await read(customer)),
    async choose(given, choice) {
      attached()
      const customer = parseText('customer', given, MAX_ID_LENGTH)
      if (!offers.includes(choice)) throw invalid(`choice must be one of: ${offers.join(', ')}`)
      if (choice === 'ask') return close(customer)
      const mark = context.markFor('opened')
      return nowOf(customer, await write(customer, newId(), choice, mark))
    },
  }
}

const newId = () => randomBytes(32).toString('base64url')

function isByCustomer(permit: AnyPermit): boolean {
  if (permit.kind === 'standing') return true
  const isAllowed = permit.decisions.some(({ need, isGranted }) => need === 'user' && isGranted)
  return permit.kind === 'approval' && isAllowed
}
