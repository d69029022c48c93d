import { isAfterRefusal } from 'oidc-provider-impersonation-verify/format'
import { readBody } from '../../http/json-body.ts'
import { invalid, notFound } from '../../http/problem.ts'
import { parseQuery } from '../../http/query.ts'
import type { Permits, Standing, StandingChoice } from '../../permits/options.ts'
import type { Permit } from '../../permits/permit.ts'
import { STANDING_CHOICES } from '../../permits/shape.ts'
import { isId } from '../ids.ts'
import { operatorLimit } from '../operator-limit.ts'
import type {
  AccountPermit,
  AccountPermitsAnswer,
  AccountRefusal,
  AccountSwitch,
} from '../permits/answers.ts'
import { namedApplication, permittingCustomer } from '../permits/shown.ts'
import type { AccountCall } from './call.ts'

/** Answers of a customer in an hour. Each is an entry of the audit. */
const MAX_IN_AN_HOUR = 60
const HOUR_S = 3600

/** The requests and permits of a customer, and what they answer for all requests. */
export function accountPermits(permits: Permits) {
  const limit = operatorLimit(MAX_IN_AN_HOUR, HOUR_S)

  /** @throws Problem 404 for what is not about the caller */
  async function findOwn(id: unknown, { caller }: AccountCall): Promise<Permit> {
    const found =
      typeof id === 'string' && isId(id)
        ? await permittingCustomer(() => permits.get(id))
        : undefined
    if (found?.customer.id === caller.id) return found
    throw notFound('there is no such request about you')
  }

  /** What a customer can always say stays, where the deployment does not say what else. */
  const findOffers = (customer: string) =>
    permits.findOffers(customer).catch((): readonly StandingChoice[] => ['ask'])

  async function switchOf(
    customer: string,
    standing: Standing,
  ): Promise<AccountSwitch | undefined> {
    if (!permits.hasStanding) return undefined
    return { offers: await findOffers(customer), ...standing }
  }

  return {
    /** `GET /permits` */
    async list({ ctx, caller, settings, now }: AccountCall): Promise<void> {
      parseQuery(ctx.querystring)
      const filter = { customer: caller.id, isOpen: true } as const
      const [open, answer] = await permittingCustomer(() =>
        Promise.all([permits.list(filter), permits.standing(caller.id)]),
      )
      const standing = await switchOf(caller.id, answer)
      const shown = (state: Permit['state']) => (permit: Permit) =>
        permit.state === state ? shownToCustomer(permit, settings) : []
      ctx.body = {
        asked: open.permits.filter(awaitsCustomer).flatMap(shown('requested')),
        granted: open.permits.flatMap(shown('granted')),
        refused: open.permits.flatMap((permit) => refusedToCustomer(permit, settings)),
        ...(standing ? { standing } : {}),
        now: now(),
      } satisfies AccountPermitsAnswer
    },

    /** `POST /permits/grant`, `/permits/refuse`, `/permits/lift` and `/permits/revoke` */
    say(method: 'grant' | 'lift' | 'refuse' | 'revoke') {
      return async (call: AccountCall): Promise<void> => {
        const { id } = await readBody(call.ctx, 'id')
        const permit = await findOwn(id, call)
        // A customer can always say no.
        if (method === 'grant' || method === 'lift') await limit(call.caller.id)
        await permittingCustomer(() => permits[method](permit.id, { by: call.caller.id }))
        call.ctx.status = 204
      }
    },

    /** `POST /permits/standing` */
    async choose({ ctx, caller }: AccountCall): Promise<void> {
      const { choice } = await readBody(ctx, 'choice')
      const chosen = STANDING_CHOICES.find((each) => each === choice)
      if (chosen === undefined)
        throw invalid(`choice must be one of: ${STANDING_CHOICES.join(', ')}`)
      if (chosen !== 'ask' && chosen !== 'never') await limit(caller.id)
      const standing = await permittingCustomer(() => permits.setStanding(caller.id, chosen))
      ctx.body = await switchOf(caller.id, standing)
    },
  }
}

function awaitsCustomer({ needs, decisions }: Permit): boolean {
  return needs.includes('user') && !decisions.some(({ need }) => need === 'user')
}

function refusedToCustomer(
  permit: Permit,
  settings: AccountCall['settings'],
): readonly AccountRefusal[] {
  const said = permit.decisions.find(({ isGranted }) => !isGranted)
  if (permit.state !== 'refused' || !said) return []
  const refusal = { refusedAt: said.at, isMine: said.need === 'user' }
  return [{ ...shownToCustomer(permit, settings), ...refusal }]
}

function shownToCustomer(permit: Permit, settings: AccountCall['settings']): AccountPermit {
  const { id, operator, application, ticket, requestedAt, lapsesAt, until, review } = permit
  const { applicationName, canChange } = namedApplication(permit, settings)
  const { name } = operator
  return {
    ...{ id, requestedAt, for: permit.for, application: applicationName ?? application },
    operator: { id: operator.id, ...(name === undefined ? {} : { name }) },
    ...(ticket === undefined ? {} : { ticket }),
    ...(canChange === undefined ? {} : { canChange }),
    ...(isAfterRefusal(review?.reason) ? { isAfterRefusal: true } : {}),
    ...(lapsesAt === undefined ? {} : { lapsesAt }),
    ...(until === undefined ? {} : { until }),
  }
}
