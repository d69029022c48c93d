import { nameIn } from './applications.ts'
import { orUnavailable } from './http/problem.ts'
import type { Call } from './parts.ts'
import { findNamed } from './person-names.ts'
import { findMayErase } from './sign-in/roles.ts'

export type MeAnswer = Awaited<ReturnType<typeof findMe>>

/** `GET /me` */
export async function me(call: Call): Promise<void> {
  call.ctx.body = await findMe(call)
}

/** Finds the person of a call, with what they may do. */
export async function findMe({ caller, gate, language, settings }: Call) {
  const { account, id, role } = caller
  const { name = id } = await orUnavailable('your account cannot be looked up now', () =>
    findNamed(account),
  )
  const { applications, durations, ticket } = settings
  return {
    id,
    name,
    role,
    applications: applications.map((application) => ({
      name: nameIn(application, language),
      clientId: application.clientId,
      canChange: application.scopes.change !== undefined,
    })),
    /** In seconds; empty without a choice. */
    durations,
    /** The source of the regular expression of a ticket number. */
    ticketPattern: ticket.pattern?.source,
    ticketExample: ticket.example,
    permits: gate.hasPermits || undefined,
    /** `true` if the person has the page of personal data. */
    mayErase: (await findMayErase(account, settings)) || undefined,
  }
}
