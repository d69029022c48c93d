import { MAX_REASON_LENGTH } from 'oidc-provider-impersonation-verify/format'
import type { ActBody, MeAnswer } from '../../../../web/answers.ts'
import { oneLine } from '../../../../web/kit/one-line.ts'
import { text, words } from '../../../../web/kit/text.tsx'

/** What stands in the form. */
export interface ActDraft extends Readonly<Record<string, string>> {
  readonly ticket: string
  readonly reason: string
  readonly application: string
  readonly access: string
  readonly duration: string
}

/** What is wrong, by field. */
export type ActProblems = Readonly<Partial<Record<'reason' | 'ticket', string>>>

const MAX_TICKET_LENGTH = 100

export function problemsOf(draft: ActDraft, me: MeAnswer): ActProblems {
  const { form } = words.impersonations.operators
  const { ticketPattern } = me
  const ticket = oneLine(draft.ticket)
  const reason = oneLine(draft.reason)
  const { length } = [...reason]
  const wrongTicket =
    ticket === ''
      ? form.ticketMissing
      : [...ticket].length > MAX_TICKET_LENGTH
        ? form.ticketLong
        : ticketPattern !== undefined && !new RegExp(`^(?:${ticketPattern})$`, 'u').test(ticket)
          ? wrongTicketText(me)
          : undefined
  const wrongReason =
    reason === ''
      ? form.reasonMissing
      : length > MAX_REASON_LENGTH
        ? text(form.reasonLong, { most: MAX_REASON_LENGTH, count: length })
        : undefined
  return {
    ...(wrongTicket !== undefined && { ticket: wrongTicket }),
    ...(wrongReason !== undefined && { reason: wrongReason }),
  }
}

export function wrongTicketText({ ticketExample: example }: MeAnswer): string {
  const { ticketWrong, ticketLike } = words.impersonations.operators.form
  return example === undefined ? ticketWrong : text(ticketLike, { example })
}

/** The draft with what the deployment offers: an application or a duration may be gone. The middle duration is chosen. */
export function chosen(draft: ActDraft, { applications, durations }: MeAnswer) {
  const application =
    applications.find(({ clientId }) => clientId === draft.application) ?? applications[0]
  const middle = durations[Math.floor((durations.length - 1) / 2)]
  const duration = durations.find((seconds) => String(seconds) === draft.duration) ?? middle
  const canChange = application?.canChange === true && draft.access === 'change'
  return { application, duration, access: canChange ? ('change' as const) : ('read' as const) }
}

export function bodyOf(userId: string, draft: ActDraft, me: MeAnswer): ActBody {
  const { application, duration, access } = chosen(draft, me)
  return {
    userId,
    ticketId: oneLine(draft.ticket),
    reason: oneLine(draft.reason),
    application: application?.clientId ?? '',
    access,
    ...(duration !== undefined && { duration }),
  }
}
