import type { AuditPerson } from 'oidc-provider-impersonation-verify/format'
import type { RunningImpersonation } from '../answers.ts'
import { actorName } from './actor.tsx'
import { words } from './text.tsx'

export const nameOf = ({ id, name }: AuditPerson): string => name ?? id

/** How an operator is named where other operators are named, too. */
export const operatorName = (of: RunningImpersonation): string =>
  actorName(of, words.impersonations.running.unnamed)
