import { present, saidIn, unapprovedBy } from 'oidc-provider-impersonation-verify/format'
import { isId } from '../../../../kernel/ids.ts'
import { oneOf, type Read } from '../../../../kernel/input.ts'
import type { Permit } from '../../../../records/record-at.ts'
import { notFound } from '../../../../web/http/problem.ts'
import { operatorLimit } from '../../../../web/operator-limit.ts'
import type { OWN_ID } from '../../../../web/own-id.ts'
import type { ConsolePermits, Standing } from '../options.ts'
import type { AccountPermit, AccountPermitsAnswer, AccountRefusal } from './answers.ts'
import { type CustomerPermitCall, namedApplication, requirePermits } from './shown.ts'

/** Answers of a customer in an hour. Each is an entry of the audit. */
const MAX_IN_AN_HOUR = 60
const HOUR_S = 3600

export const CHOICE = { choice: oneOf(['ask', 'allow']) }

/** What a customer says to a request or a permit. */
export const CUSTOMER_WORDS = { grant: 'granted', refuse: 'declined', revoke: 'revoked' } as const
type CustomerWord = (typeof CUSTOMER_WORDS)[keyof typeof CUSTOMER_WORDS]

type CustomerAsking = Pick<CustomerPermitCall, 'caller'> & { readonly permits: ConsolePermits }

/** The requests and permits of a customer, and what they answer for all requests. */
export function customersAnswers() {
  const limit = operatorLimit(MAX_IN_AN_HOUR, HOUR_S)

  /** @throws Problem 404 for what is not about the caller */
  async function findOwn(id: string, { caller, permits }: CustomerAsking): Promise<Permit> {
    const found = isId(id) ? await permits.getPermit(id) : undefined
    if (found?.customer.id === caller.id) return found
    throw notFound('there is no such request about you')
  }

  return {
    /** `undefined` if the console has no permits. */
    async list(call: CustomerPermitCall): Promise<AccountPermitsAnswer | undefined> {
      const { caller, permits } = call
      if (!permits) return undefined
      const filter = { customer: caller.id, isOpen: true } as const
      const [open, answer] = await Promise.all([
        permits.listPermits(filter),
        permits.answer(caller.id),
      ])
      const shown = (state: Permit['state']) => (permit: Permit) =>
        permit.state === state ? shownToCustomer(permit, call) : []
      return {
        asked: open.permits.filter(awaitsCustomer).flatMap(shown('requested')),
        granted: open.permits.flatMap(shown('granted')),
        refused: open.permits.flatMap((permit) => refusedByCustomer(permit, call)),
        ...(permits.hasStanding && { standing: answer }),
      }
    },

    /** Answers a request, or takes a permit back. */
    say(method: CustomerWord) {
      return async (
        call: CustomerPermitCall & { readonly body: Read<typeof OWN_ID> },
      ): Promise<void> => {
        const permits = requirePermits(call)
        const permit = await findOwn(call.body.id, { ...call, permits })
        // A customer can always say no.
        if (method === 'granted') await limit(call.caller.id)
        await permits.decide(permit.id, method, { by: call.caller.id })
      }
    },

    /** Answers all requests. */
    async choose(
      call: CustomerPermitCall & { readonly body: Read<typeof CHOICE> },
    ): Promise<Standing> {
      const { body, caller } = call
      if (body.choice !== 'ask') await limit(caller.id)
      return requirePermits(call).answer(caller.id, body.choice)
    },
  }
}

function awaitsCustomer({ needs, said }: Permit): boolean {
  return needs.includes('user') && !said.some(({ need }) => need === 'user')
}

function refusedByCustomer(permit: Permit, call: CustomerPermitCall): readonly AccountRefusal[] {
  const said = saidIn(permit, 'declined')
  if (said?.need !== 'user') return []
  return [{ ...shownToCustomer(permit, call), refusedAt: said.at }]
}

function shownToCustomer(permit: Permit, call: CustomerPermitCall): AccountPermit {
  const { id, operator, application, ticket, requestedAt, lapsesAt, until } = permit
  const { applicationName, canChange } = namedApplication(permit, call)
  return {
    ...{ id, requestedAt, for: permit.for, application: applicationName ?? application },
    operator: { id: operator.id, ...present({ name: operator.name }) },
    ...present({ ticket, canChange, unapproved: unapprovedBy(permit), lapsesAt, until }),
  }
}
