import type { Application } from '../options.ts'

/** The name of the application, or the client id of one that the console does not know. */
export function applicationName(
  applications: readonly Application[],
  clientId: string | undefined,
): string | undefined {
  return applications.find((each) => each.clientId === clientId)?.name ?? clientId
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
