import { type At, counted, text } from '../../../web/kit/at.ts'
import { relativeText } from '../../../web/kit/time.tsx'
import type { Approval } from '../server/api/approval.ts'
import type { shownDeciders } from '../server/api/shown.ts'

/** What is needed, and who can give it; or who refused it. */
export function neededText(at: At, approval: Approval): string {
  const { by, deciders, refused } = approval
  const { permits, records } = at.words
  if (refused) {
    const person = refused.by.name ?? refused.by.id
    return text(at, permits.ask.refused, { person, time: relativeText(at, refused.until - at.now) })
  }
  const needs = records.needs[by.length > 1 ? 'both' : (by[0] ?? 'second_person')]
  return deciders ? `${needs} ${decidersText(at, deciders)}` : needs
}

/** Who can decide, in a sentence. */
export function decidersText(
  at: At,
  { names, others, isLeads }: ReturnType<typeof shownDeciders>,
): string {
  const { ask } = at.words.permits
  if (isLeads) return ask.leads
  if (names.length === 0) return ask.nobody
  const slots = { names: new Intl.ListFormat(at.locale).format(names) }
  return others > 0 ? counted(at, ask.peopleAndMore, others, slots) : text(at, ask.people, slots)
}
