import type { AuditPerson, AuditRow } from 'oidc-provider-impersonation-verify/format'
import { type At, text } from './at.ts'
import { Text } from './text.tsx'

/** A word that no column has room for: it breaks, and others stay whole. */
const WIDE_WORD = /[^\s-]{25}/

/** Names up to this length stay on one line where there is room. */
const MAX_LENGTH_ON_ONE_LINE = 20

/** A person, if known: the name, and on demand the id. */
export function NamedPerson({ of }: { of: AuditPerson | undefined }, at: At) {
  const shown = personName(at, of)
  const isWhole = shown.length <= MAX_LENGTH_ON_ONE_LINE
  const width = WIDE_WORD.test(shown) ? 'wide-word' : isWhole ? 'whole' : ''
  return (
    <bdi class={`person ${width}`} title={of?.name && of.id}>
      {shown}
    </bdi>
  )
}

interface Acts {
  readonly operator?: AuditPerson | undefined
  /** The client id of the software that acts, for the operator or on its own. */
  readonly software?: string | undefined
}

/** A name for titles and labels. */
export function personName(at: At, person: AuditPerson | undefined): string {
  return person?.name ?? person?.id ?? at.words.impersonations.audit.unknownPerson
}

/** Names who acts, for titles and labels: *Olivia Ortiz*, *copilot, for Olivia Ortiz*, *copilot*. */
export function actorName(
  at: At,
  { operator, software }: Acts,
  unknown = at.words.impersonations.audit.unknownPerson,
): string {
  if (!operator) return software ?? unknown
  const person = personName(at, operator)
  return software === undefined
    ? person
    : text(at, at.words.web.software, { software, operator: person })
}

/** *Olivia Ortiz as Alice Ng*, for titles and labels. */
export function actingText(at: At, row: Pick<AuditRow, 'customer' | 'operator' | 'software'>) {
  const slots = { operator: actorName(at, row), customer: personName(at, row.customer) }
  return text(at, at.words.impersonations.audit.acting, slots)
}

/** As {@link actorName}, as an element. */
export function Actor({ of: { operator, software } }: { of: Acts }, { words }: At) {
  const person = <NamedPerson of={operator} />
  if (software === undefined) return person
  const name = <NamedPerson of={{ id: software }} />
  return operator ? <Text of={words.web.software} software={name} operator={person} /> : name
}

/** As {@link actingText}, as elements. */
export function Acting(
  { row }: { row: Pick<AuditRow, 'customer' | 'operator' | 'software'> },
  { words }: At,
) {
  return (
    <Text
      of={words.impersonations.audit.acting}
      operator={<Actor of={row} />}
      customer={<NamedPerson of={row.customer} />}
    />
  )
}
