import type { AuditPerson, AuditRow } from 'oidc-provider-impersonation-verify/format'
import { Actor, actorName } from './actor.tsx'
import { Person } from './person.tsx'
import { locale, Text, text, words } from './text.tsx'
import { Time } from './time.tsx'

const { audit } = words.impersonations

/** A name for titles and messages. */
export function personName(person: AuditPerson | undefined): string {
  return person?.name ?? person?.id ?? audit.unknownPerson
}

/** *Olivia Ortiz as Alice Ng*, for titles, labels and messages. */
export function actingOf(row: Pick<AuditRow, 'customer' | 'operator' | 'software'>): string {
  const operator = actorName(row, audit.unknownPerson)
  return text(audit.acting, { operator, customer: personName(row.customer) })
}

/** As {@link actingOf}, in elements. */
export function Acting({ row }: { row: AuditRow }) {
  return (
    <Text
      of={audit.acting}
      operator={<Operator row={row} />}
      customer={<NamedPerson person={row.customer} />}
    />
  )
}

/** Who acts, with the software that acts for the operator. */
export function Operator({ row }: { row: AuditRow }) {
  const { operator, software } = row
  if (software === undefined) return <NamedPerson person={operator} />
  return <Actor of={row} unknown={audit.unknownPerson} />
}

export function NamedPerson({ person }: { person: AuditPerson | undefined }) {
  return person ? <Person {...person} /> : audit.unknownPerson
}

/** A person by the id, with the name that is known, or that the row has. */
export function personOfRow(
  id: string | undefined,
  row: AuditRow,
  name?: string,
): AuditPerson | undefined {
  if (id === undefined) return undefined
  if (name !== undefined) return { id, name }
  return [row.operator, row.customer].find((person) => person?.id === id) ?? { id }
}

/** A string with a moment in its slot {time}. */
export function Moment({ of, at }: { of: string; at: number }) {
  return <Text of={of} time={<Time at={at} form="long" />} />
}

const units = new Intl.NumberFormat(locale, {
  style: 'unit',
  unit: 'byte',
  unitDisplay: 'narrow',
  notation: 'compact',
  maximumFractionDigits: 1,
})

/** An amount of data: `1.2MB`. */
export function sizeOf(bytes: number): string {
  return units.format(bytes)
}

const DURATION_UNITS = [
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** How long something took: `9 min 41 sec`. @param milliseconds 0 or more */
export function elapsedText(milliseconds: number): string {
  let rest = Math.round(Math.max(0, milliseconds) / 1000)
  const parts = DURATION_UNITS.flatMap(([unit, seconds]) => {
    const count = Math.floor(rest / seconds)
    rest %= seconds
    if (count === 0) return []
    return [new Intl.NumberFormat(locale, { style: 'unit', unit }).format(count)]
  })
  return parts.length === 0
    ? new Intl.NumberFormat(locale, { style: 'unit', unit: 'second' }).format(0)
    : parts.join(' ')
}
