import { lookUp } from './words/look-up.ts'

/** An application in which operators can act. */
export interface Application {
  /** The name of the application in the console, such as *Shop*. */
  readonly name: string
  /** Other names by language, such as `{ de: 'Laden' }`. @defaultValue `name` in every language. */
  readonly names?: Readonly<Record<string, string | undefined>> | undefined
  /** The page that accepts the impersonation. It needs https, or http on this machine. */
  readonly url: string
  /** The client of the application. No other application has it, because each subject token is bound to it. */
  readonly clientId: string
  /** The resource indicator of the API that the application calls. */
  readonly resource: string
  /**
   * The scopes to look at a customer's data, and to change it. Separate several by spaces. `change` is added to `read`,
   * so who may change may look as well. If you leave out `change`, operators can only look.
   */
  readonly scopes: { readonly read: string; readonly change?: string | undefined }
  /**
   * How the subject token comes to `url`. With `'fragment'`, it comes in the fragment, for a page that uses the browser
   * kit. With `'form'`, it is posted, for an application that renders its pages on the server.
   *
   * @defaultValue `'fragment'`
   */
  readonly handOver?: 'fragment' | 'form' | undefined
}

/** How an application is called in a language. */
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
 * Whether a scope to change was granted that is not also one to look; `undefined` where that is
 * unknown.
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
