import { present } from 'oidc-provider-impersonation-verify/format'
import type { MeAnswer } from './answers.ts'
import { nameIn } from './applications.ts'
import { orUnavailable } from './http/problem.ts'
import type { Call } from './parts.ts'
import { findNamed } from './person-names.ts'
import { findMayErase } from './sign-in/roles.ts'

/** `GET /me` */
export async function me(call: Call): Promise<void> {
  call.ctx.body = await findMe(call)
}

/** The person of a call, with what they may do. */
export async function findMe({ caller, gate, language, settings }: Call): Promise<MeAnswer> {
  const { name } = await orUnavailable('your account cannot be looked up now', () =>
    findNamed(caller.account),
  )
  const mayErase = await findMayErase(caller.account, settings)
  const { applications, durations, ticket } = settings
  return {
    id: caller.id,
    name: name ?? caller.id,
    role: caller.role,
    applications: applications.map((application) => ({
      name: nameIn(application, language),
      clientId: application.clientId,
      canChange: application.scopes.change !== undefined,
    })),
    durations,
    ...present({ ticketPattern: ticket.pattern?.source, ticketExample: ticket.example }),
    ...(gate.hasPermits && { permits: true }),
    ...(mayErase && { mayErase }),
  }
}
