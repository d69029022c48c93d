import { lookUp } from './words/look-up.ts'

/** An application in which operators can act. */
export interface Application {
  /** The name in the console, such as *Shop*. */
  readonly name: string
  /** Names in other languages, such as `{ de: 'Laden' }`. @defaultValue `name` */
  readonly names?: Readonly<Record<string, string | undefined>> | undefined
  /** The page that accepts the impersonation, with https, or http on this machine. */
  readonly url: string
  /** The client of the application, and of no other one. */
  readonly clientId: string
  /** The resource indicator of the API that the application calls. */
  readonly resource: string
  /**
   * The scopes to `read` a customer's data and to `change` it, separated by spaces. An operator who
   * may change gets both. Without `change`, operators can only look.
   */
  readonly scopes: { readonly read: string; readonly change?: string | undefined }
  /**
   * The way of the subject token to `url`: in the `'fragment'`, for the browser kit, or by a
   * `'form'` that is posted, for pages from a server.
   * @defaultValue `'fragment'`
   */
  readonly handOver?: 'fragment' | 'form' | undefined
}

/** The name of an application in a language. */
export function nameIn({ name, names = {} }: Application, language: string): string {
  return names[lookUp(language, Object.keys(names)) ?? ''] ?? name
}

/** The name of the application in a language, or the client id of one that the console does not know. */
export function applicationName(
  applications: readonly Application[],
  clientId: string | undefined,
  language: string,
): string | undefined {
  const found = applications.find((each) => each.clientId === clientId)
  return found ? nameIn(found, language) : clientId
}

/**
 * Checks whether a scope to change was granted that is not also one to look. Returns `undefined` if
 * that is unknown.
 */
export function canChange(
  applications: readonly Application[],
  clientId: string | undefined,
  scope: string | undefined,
): boolean | undefined {
  const scopes = applications.find((each) => each.clientId === clientId)?.scopes
  if (!scopes || scope === undefined) return undefined
  const [granted, toLook] = [scope.split(' '), scopes.read.split(' ')]
  return (scopes.change?.split(' ') ?? []).some(
    (each) => granted.includes(each) && !toLook.includes(each),
  )
}
