import type { AuditPerson } from 'oidc-provider-impersonation-verify/format'
import type { RunningImpersonation } from '../../api/console/answers.ts'
import { actorName } from '../kit/actor.tsx'
import { words } from '../kit/text.tsx'

export const nameOf = ({ id, name }: AuditPerson): string => name ?? id

/** How an operator is named where other operators are named, too. */
export const operatorName = (of: RunningImpersonation): string =>
  actorName(of, words.impersonations.running.unnamed)
