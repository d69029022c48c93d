import type { AuditEntry } from './entry.ts'
import english from './events.json' with { type: 'json' }
import { type AuditRow, type Ending, endingOf } from './row.ts'
import type { Audience } from './to-tell.ts'

/** Events of which an entry says one of several things. */
interface Several {
  readonly 'impersonation.denied': Readonly<
    Record<NonNullable<AuditEntry['denial']>['stage'], string>
  >
  readonly 'impersonation.ended': Readonly<Record<Ending, string>>
  readonly 'impersonation.used': Readonly<
    Record<'anyMethod' | 'answered' | 'noAnswer' | 'refused' | 'request', string>
  >
  readonly 'support.telling': Readonly<Record<Audience, string>>
  readonly 'support.told': Readonly<Record<Audience, string>>
  readonly 'support.untold': Readonly<Record<Audience, string>>
}

/** A sentence for each kind of entry, in any language. A sentence has slots, such as {person}. */
export type EventSentences = Several &
  Readonly<Record<Exclude<AuditEntry['event'], keyof Several>, string>>

/** In English. */
export const EVENT_SENTENCES: EventSentences = english

/** The slot of a sentence: `{name}`. */
export const SLOT = /\{(\w+)\}/g

/** Fills the slots of a sentence. A slot that has no value stays. */
export function fill(
  sentence: string,
  slots: Readonly<Record<string, string | number>>,
  shown: (value: string | number) => string = String,
): string {
  return sentence.replaceAll(SLOT, (slot, name) => {
    const value = slots[name]
    return value === undefined ? slot : shown(value)
  })
}

/** The sentence of an entry, with its slots. What was requested of an API is another thing. */
export function sentenceFor(
  sentences: EventSentences,
  entry: Pick<AuditEntry, 'delivery' | 'denial' | 'end' | 'event' | 'use'>,
  row: Pick<AuditRow, 'operator'>,
): string {
  const { event, denial, use } = entry
  switch (event) {
    case 'impersonation.denied':
      return sentences[event][denial?.stage ?? 'issue']
    case 'impersonation.ended':
      return sentences[event][endingIn(entry, row)]
    case 'impersonation.used': {
      const { refused, answered, noAnswer } = sentences[event]
      return use?.refused ? refused : use?.status === undefined ? noAnswer : answered
    }
    case 'support.telling':
    case 'support.told':
    case 'support.untold':
      return sentences[event][entry.delivery?.to ?? 'customer']
    default:
      return sentences[event]
  }
}

/** Returns the ending that this entry reports: an earlier entry may have ended it already. */
export function endingIn(
  { end }: Pick<AuditEntry, 'end'>,
  { operator }: Pick<AuditRow, 'operator'>,
): Ending {
  const { at = 0, cause = 'requested', by, reason } = end ?? {}
  return endingOf({ end: { at, cause, by: by?.sub, reason }, operator }) ?? 'provider'
}
