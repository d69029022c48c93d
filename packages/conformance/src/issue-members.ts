import { REQUEST_MEMBERS, type RequestMember } from './configuration.ts'

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
