import { Person } from './person.tsx'
import { Text, text, words } from './text.tsx'

interface Acts {
  readonly operator?: { readonly id: string; readonly name?: string | undefined } | undefined
  /** The client id of the software that acts, for the operator or on its own. */
  readonly software?: string | undefined
}

/** Who acts, for titles and messages: *Olivia Ortiz*, *copilot, for Olivia Ortiz*, *copilot*. */
export function actorName({ operator, software }: Acts, unknown: string): string {
  const person = operator && (operator.name ?? operator.id)
  if (software === undefined) return person ?? unknown
  if (person === undefined) return software
  return text(words.web.software, { software, operator: person })
}

/** As {@link actorName}, as an element. */
export function Actor({ of, unknown }: { of: Acts; unknown: string }) {
  const { operator, software } = of
  const person = operator && <Person {...operator} />
  if (software === undefined) return person ?? <>{unknown}</>
  const name = <Person id={software} />
  if (!person) return name
  return <Text of={words.web.software} software={name} operator={person} />
}
