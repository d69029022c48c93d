import {
  boundBy,
  type Configuration,
  REQUEST_MEMBERS,
  type RequestMember,
} from './configuration.ts'

export function isRequestMember(name: string): name is RequestMember {
  return Object.hasOwn(REQUEST_MEMBERS, name)
}

/** Sets a member at a path such as `mayAct.sub`. */
export function setAt(
  body: Record<string, unknown>,
  [name = '', ...rest]: string[],
  value: unknown,
): void {
  if (rest.length === 0) {
    body[name] = value
    return
  }
  const inner = { ...Object(body[name]) }
  setAt(inner, rest, value)
  body[name] = inner
}

/**
 * The members for an exchange by another client, or for another resource: where every issue request is
 * bound, it is bound to these instead.
 */
export function rebound<M extends { readonly [N in RequestMember]?: unknown }>(
  issue: Configuration['issue'],
  members: M,
): Partial<M> {
  const bound = Object.entries(members).filter(
    ([name]) => isRequestMember(name) && boundBy(issue, name) !== undefined,
  )
  return Object.assign({}, ...bound.map(([name, value]) => ({ [name]: value })))
}
