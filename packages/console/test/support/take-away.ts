import type { Deployment } from './deployment.ts'

/** From now on, the provider cannot do this with impersonations. @returns brings it back */
export function takeAway({ provider }: Pick<Deployment, 'provider'>, name: 'endAll' | 'list') {
  const { impersonation } = provider
  const method = impersonation[name]
  Object.assign(impersonation, { [name]: () => Promise.reject(new Error('away')) })
  return () => Object.assign(impersonation, { [name]: method })
}
