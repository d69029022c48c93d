import { durationText } from '../../../web/kit/duration.ts'
import { nameOf } from '../../../web/kit/names.ts'
import { counted, language, locale, text, words } from '../../../web/kit/text.tsx'
import { shortTime } from '../../../web/kit/time.tsx'
import { pausedInWords, pauseOfProblem } from '../../../web/session/paused.ts'
import { inWords } from '../../../web/session/problem.ts'
import { ApiProblem } from '../../../web/session/session.ts'
import type { ApprovalAnswer, DecidersAnswer, PermitAnswer } from '../server/api/answers.ts'

const { permits: labels } = words

/** *Olivia Ortiz as Alice Ng*, for titles, labels and messages. */
export const permitActing = ({
  operator,
  customer,
}: Pick<PermitAnswer, 'customer' | 'operator'>): string =>
  text(labels.acting, { operator: nameOf(operator), customer: nameOf(customer) })

export const accessOf = ({ canChange }: Pick<PermitAnswer, 'canChange'>): string =>
  canChange ? labels.lookAndChange : labels.look

/** What a dialog says it is about. */
export function permitSlots(permit: PermitAnswer) {
  return {
    operator: nameOf(permit.operator),
    customer: nameOf(permit.customer),
    application: permit.applicationName ?? permit.application,
    access: accessOf(permit),
    length: durationText(permit.for, language),
  }
}

const list = new Intl.ListFormat(locale, { type: 'conjunction' })

/** What is needed, and who can give it; or who refused it. @param now by the clock of the server */
export function neededInWords(approval: ApprovalAnswer['approval'], now: number): string {
  const { by, deciders, refused } = approval
  if (refused) {
    const time = relativeTime(refused.until - now)
    return text(labels.ask.refused, { person: nameOf(refused.by), time })
  }
  const needs = labels.needs[by.length > 1 ? 'both' : (by[0] ?? 'second_person')]
  return deciders ? `${needs} ${decidersInWords(deciders)}` : needs
}

/** Who can decide, in a sentence. */
export function decidersInWords({ names, others, isLeads }: DecidersAnswer): string {
  const { ask } = labels
  if (isLeads) return ask.leads
  if (names.length === 0) return ask.nobody
  const slots = { names: list.format(names) }
  return others > 0 ? counted(ask.peopleAndMore, others, slots) : text(ask.people, slots)
}

/** Who was asked, in a sentence. @param time such as *2 minutes ago* */
export function askedInWords(deciders: DecidersAnswer | undefined, time: string): string {
  const { ask } = labels
  if (!deciders) return text(ask.waitsCustomer, { time })
  const { names, others, isLeads } = deciders
  if (isLeads || names.length === 0) return text(ask.waitsLeads, { time })
  const slots = { names: list.format(names), time }
  if (others > 0) return counted(ask.waitsMore, others, slots)
  return text(names.length === 1 ? ask.waitsPerson : ask.waitsPeople, slots)
}

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })

/** Such as *2 minutes ago*. @param milliseconds how far away; before now: less than 0 */
export function relativeTime(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  const size = Math.abs(seconds)
  // A text that changed each second would be read out each second.
  if (size < 60) return relative.format(0, 'second')
  if (size < 3600) return relative.format(Math.round(seconds / 60), 'minute')
  if (size < 86_400) return relative.format(Math.round(seconds / 3600), 'hour')
  return relative.format(Math.round(seconds / 86_400), 'day')
}

/** Why something was not asked or decided. */
export function problemInWords(error: unknown): string {
  if (!(error instanceof ApiProblem)) return inWords(error)
  const { problems } = labels
  const pause = pauseOfProblem(error)
  if (pause) return pausedInWords(pause)
  const again: unknown = Reflect.get(error.body, 'retryAfter')
  const time = typeof again === 'number' ? relativeTime(again * 1000) : undefined
  if (error.status === 429 && time) return text(problems.too_many, { time })
  switch (error.error) {
    case 'already_requested':
    case 'no_approver':
    case 'review_due':
      return problems[error.error]
    case 'refused_lately':
      return text(problems.refused_lately, { time: time ?? '' })
    case 'temporarily_unavailable':
      return error.status === 429 ? inWords(error) : problems.unknown
    default:
      return inWords(error)
  }
}

/** What was decided on a request of the reader: granted, or refused. */
export function noticeInWords({
  state,
  customer: who,
  until = 0,
  decisions,
}: PermitAnswer): string {
  const customer = nameOf(who)
  if (state === 'granted') return text(labels.notice.granted, { customer, time: shortTime(until) })
  const note = decisions.find(({ isGranted }) => !isGranted)?.note
  return note === undefined
    ? text(labels.notice.refused, { customer })
    : text(labels.notice.refusedWith, { customer, note })
}
