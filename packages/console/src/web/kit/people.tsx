import type { AuditPerson, AuditRow } from 'oidc-provider-impersonation-verify/format'
import { type At, text } from './at.ts'
import { Text } from './text.tsx'

/** A word that no column has room for: it breaks, and others stay whole. */
const WIDE_WORD = /[^\s-]{25}/

/** Names up to this length stay on one line where there is room. */
const MAX_LENGTH_ON_ONE_LINE = 20

/** A person: the name, and on demand the id. */
export function Person({ id, name }: { id: string; name?: string | undefined }) {
  const shown = name ?? id
  return (
    <bdi
      class={`person${WIDE_WORD.test(shown) ? ' wide-word' : shown.length <= MAX_LENGTH_ON_ONE_LINE ? ' whole' : ''}`}
      title={name === undefined ? undefined : id}
    >
      {shown}
    </bdi>
  )
}

interface Acts {
  readonly operator?: { readonly id: string; readonly name?: string | undefined } | undefined
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
  const person = operator && (operator.name ?? operator.id)
  if (software === undefined) return person ?? unknown
  if (person === undefined) return software
  return text(at, at.words.web.software, { software, operator: person })
}

/** *Olivia Ortiz as Alice Ng*, for titles and labels. */
export function actingText(at: At, row: Pick<AuditRow, 'customer' | 'operator' | 'software'>) {
  const slots = { operator: actorName(at, row), customer: personName(at, row.customer) }
  return text(at, at.words.impersonations.audit.acting, slots)
}

/** As {@link actorName}, as an element. */
export function Actor({ of }: { of: Acts }, { words }: At) {
  const { operator, software } = of
  const person = operator && <Person {...operator} />
  if (software === undefined) return person ?? <>{words.impersonations.audit.unknownPerson}</>
  const name = <Person id={software} />
  if (!person) return name
  return <Text of={words.web.software} software={name} operator={person} />
}

/** A person who may not be known. */
export function NamedPerson({ of }: { of: AuditPerson | undefined }, { words }: At) {
  return of ? <Person {...of} /> : words.impersonations.audit.unknownPerson
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
