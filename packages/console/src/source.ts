// The entry if this package runs from its source. Node.js cannot load the views until they are compiled.
import { createRequire } from 'node:module'
import { compileViews } from './web/views.ts'

compileViews()

export type * from './index.ts'
export const {
  createPermits,
  customerAccountClient,
  InForceError,
  PermitError,
  supportConsole,
  supportConsoleClient,
}: typeof import('./index.ts') = createRequire(import.meta.url)('./index.ts')
export type InForceError = InstanceType<typeof InForceError>
export type PermitError = InstanceType<typeof PermitError>
