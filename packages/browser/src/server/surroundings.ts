import type { ImpersonationProvider } from '../provider.ts'
import type { Settings } from './options.ts'
import type { Sessions } from './sessions.ts'

/** The objects that the impersonation of a request needs. */
export interface Surroundings {
  readonly settings: Settings
  readonly sessions: Sessions
  readonly findProvider: () => Promise<ImpersonationProvider>
}
