import { type AuditRow, endingOf, type Outcome } from 'oidc-provider-impersonation-verify/format'
import { type At, text } from './at.ts'

/** How it stands, or how it ended: *Running now*, *Ended by Grace Lindqvist*. */
export function outcomeText(
  at: At,
  row: Pick<AuditRow, 'end' | 'operator'>,
  outcome: Outcome,
): string {
  const { endings, outcomes } = at.words.impersonations.audit
  const known: Readonly<Record<string, string>> = endings
  const ending = known[endingOf(row) ?? '']
  return ending === undefined ? outcomes[outcome] : text(at, ending, { person: enderOf(row) })
}

/** Who ended it, by name or by id. */
export function enderOf({ end, operator }: Pick<AuditRow, 'end' | 'operator'>): string {
  const isOperator = end?.by !== undefined && end.by === operator?.id
  return end?.name ?? (isOperator ? operator?.name : undefined) ?? end?.by ?? ''
}
