import type { Provider } from 'oidc-provider-impersonation'
import { limitTime } from 'oidc-provider-impersonation/siblings'
import {
  type AuditPerson,
  type AuditRecord,
  isNeedMet,
  isPermit,
  type PermitRecord,
  present,
  type Speaking,
  saidIn,
} from 'oidc-provider-impersonation-verify/format'
import { unlessTrouble } from '../kernel/log-line.ts'
import { pages } from '../kernel/pages.ts'
import { allRecords } from '../ledger/readable.ts'
import type { AuditStore } from '../ledger/store.ts'
import { PermitError } from './errors.ts'

/** The time that ends may take before an answer leaves, in milliseconds. */
const END_TIMEOUT_MS = 2000

/** Waits for ends. They go on after that, and the log has what fails. */
export async function endedInTime(trouble: string, ends: Promise<unknown>) {
  const work = async () =>
    limitTime(
      END_TIMEOUT_MS,
      ends.then(() => true),
    )
  return (await unlessTrouble(trouble, work)) === true
}

/** Ends what a record ends, whoever decided it: said again, it ends what is left. */
export type Ends = ReturnType<typeof endsOf>

/** @param say adds an event to a record, in the name of a person */
export function endsOf(
  store: AuditStore,
  say: (about: AuditRecord, event: 'revoked', person: Speaking) => Promise<AuditRecord>,
  attached: () => Provider,
  now: () => number,
) {
  /**
   * Takes back what is open. It follows from another word of this person: whether they may say this one is not asked.
   *
   * @returns `undefined` if another process was first: its decision stays
   */
  async function revoke(permit: AuditRecord, by: string) {
    return say(permit, 'revoked', { id: by, is: ['approver'] }).catch((error: unknown) => {
      if (error instanceof PermitError && error.error === 'decided') return undefined
      throw error
    })
  }

  /**
   * Ends what an operator runs, or what runs for a customer.
   *
   * @param before what was issued after that is not concerned, in milliseconds since the epoch
   * @param goesOn the ids of permits under which it goes on
   */
  async function endIssued(
    about: Pick<AuditRecord, 'customer' | 'operator'> & { readonly by: AuditPerson },
    before: number,
    goesOn: readonly string[] = [],
  ) {
    const { operator, customer, by } = about
    const { impersonation } = attached()
    for (const state of ['issued', 'active'] as const) {
      const filter = { actor: operator?.id, userId: customer?.id, state, limit: 100 }
      for await (const { items } of pages((cursor) => impersonation.list({ ...filter, cursor }))) {
        for (const { id, issuedAt, permit } of items) {
          const isAllowed = [permit ?? []].flat().some((each) => goesOn.includes(each))
          if (issuedAt > before / 1000 || isAllowed) continue
          await impersonation.end(id, endBy(customer, by))
        }
      }
    }
  }

  return {
    endIssued,
    revoke,
    /** @param before what was issued after that is not concerned, in milliseconds since the epoch */
    async carryOut(record: AuditRecord, before: number) {
      const { kind, operator, customer, by = customer, state } = record
      if (isPermit(record) && state === 'revoked') await endUnder(attached(), record)
      const isNo = kind === 'answer' && state === 'ask'
      // A state that its kind does not have ends nothing: nobody would be named whom it concerns.
      if (!by || !(isNo || (kind === 'stop' && state === 'stopped'))) return
      const there = { operator: operator?.id, customer: customer?.id, notOverAt: now() }
      const found = await allRecords(store, there)
      const open = found.filter(
        (each) => isPermit(each) && (each.state === 'granted' || each.state === 'requested'),
      )
      // I15: stored first, so that nothing starts any more by it.
      for (const permit of open) {
        if (!isNo || isNeedMet(permit, 'user')) await revoke(permit, by.id)
      }
      // An answer ends all that would not start now, whoever allowed it. The rule decides on an emergency.
      const goesOn = open.flatMap(({ id, kind }) => (isNo && kind === 'emergency' ? id : []))
      await endIssued({ operator, customer, by }, before, goesOn)
    },
  }
}

/** Ends everything issued or active under a record that was revoked. */
export async function endUnder(
  { impersonation }: Pick<Provider, 'impersonation'>,
  record: Pick<PermitRecord, 'customer' | 'id'> & Partial<Pick<PermitRecord, 'said'>>,
) {
  const { id, customer, said = [] } = record
  const { by, note } = saidIn({ said }, 'revoked') ?? {}
  const how = by
    ? { ...endBy(customer, by), ...present({ reason: note }) }
    : ({ cause: 'policy', reason: 'the permit was revoked' } as const)
  await impersonation.endAll({ userId: customer.id, permit: id }, how)
}

/** The end in the name of who said it. */
function endBy(customer: AuditPerson | undefined, by: AuditPerson) {
  const cause = by.id === customer?.id ? ('user' as const) : ('requested' as const)
  return { cause, by: { sub: by.id } }
}
