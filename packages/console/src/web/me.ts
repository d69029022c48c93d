import type { MeAnswer } from './answers.ts'
import { nameIn } from './applications.ts'
import { orUnavailable } from './http/problem.ts'
import type { Call } from './parts.ts'
import { findNamed } from './person-names.ts'
import { findMayErase } from './sign-in/roles.ts'

/** `GET /me` */
export async function me({ ctx, caller, gate, language, settings, now }: Call): Promise<void> {
  const { name, email } = await orUnavailable('your account cannot be looked up now', () =>
    findNamed(caller.account),
  )
  const mayErase = await findMayErase(caller.account, settings)
  const { applications, durations, ticketPattern, ticketExample } = settings
  ctx.body = {
    id: caller.id,
    name: name ?? caller.id,
    ...(email === undefined ? {} : { email }),
    role: caller.role,
    applications: applications.map((application) => ({
      name: nameIn(application, language),
      clientId: application.clientId,
      canChange: application.scopes.change !== undefined,
    })),
    durations,
    ...(ticketPattern === undefined ? {} : { ticketPattern: ticketPattern.source }),
    ...(ticketExample === undefined ? {} : { ticketExample }),
    ...(gate.hasPermits ? { permits: true as const } : {}),
    ...(mayErase ? { mayErase } : {}),
    now: now(),
  } satisfies MeAnswer
}
