import type { ComponentType } from 'preact'
import type { Role } from '../../kernel/roles.ts'
import type { PageLocation } from '../kit/router.tsx'
import type { Session } from './session.ts'

export interface PageProps {
  readonly session: Session
  readonly page: PageLocation
  /** The values of the parameters in the path of the route, decoded. */
  readonly params: Readonly<Record<string, string>>
}

/** A page of the console. The first route that fits the path and the role is shown. */
export interface Route {
  /** Below the path of the console: `/audit`, `/audit/:id`. */
  readonly path: string
  /** The roles that see the page. The server decides what they may ask. */
  readonly roles: readonly Role[]
  readonly page: ComponentType<PageProps>
  /** The text of its link in the head; routes without it have none. */
  readonly link?: string
  /** Whether it has the search of the roles that see it. */
  readonly hasSearch?: true
  /** A number beside the link: the open alarms, or the requests that wait for this person. */
  readonly shows?: 'alarms' | 'toDecide'
  /** Whether people fill in something there: what is told of others lies below it, and never over it. */
  readonly hasForm?: true
  /** Only where the console has permits, or for those who may erase. */
  readonly needs?: 'mayErase' | 'permits'
}

/** The values of the parameters of a path, where it fits the path of a route. */
export function paramsOf(route: string, path: string): Record<string, string> | undefined {
  const expected = route.split('/')
  const actual = path.split('/')
  if (expected.length !== actual.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of expected.entries()) {
    const value = actual[index] ?? ''
    if (!part.startsWith(':')) {
      if (part !== value) return undefined
    } else {
      const decoded = decodePart(value)
      if (!decoded) return undefined
      params[part.slice(1)] = decoded
    }
  }
  return params
}

function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
