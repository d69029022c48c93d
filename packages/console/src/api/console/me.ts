import { orUnavailable } from '../../http/problem.ts'
import { parseQuery } from '../../http/query.ts'
import type { Call } from '../parts.ts'
import { findNamed } from '../person-names.ts'
import type { MeAnswer } from './answers.ts'

/** `GET /me` */
export async function me({ ctx, caller, settings, now }: Call): Promise<void> {
  parseQuery(ctx.querystring)
  const { name, email } = await orUnavailable('your account cannot be looked up now', () =>
    findNamed(caller.account),
  )
  const { applications, durations, ticketPattern, ticketExample } = settings
  ctx.body = {
    id: caller.id,
    name: name ?? caller.id,
    ...(email === undefined ? {} : { email }),
    role: caller.role,
    applications: applications.map((application) => ({
      name: application.name,
      clientId: application.clientId,
      canChange: application.scopes.change !== undefined,
    })),
    durations,
    ...(ticketPattern === undefined ? {} : { ticketPattern: ticketPattern.source }),
    ...(ticketExample === undefined ? {} : { ticketExample }),
    ...(settings.permits ? { permits: true as const } : {}),
    now: now(),
  } satisfies MeAnswer
}
