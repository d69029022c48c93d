import type { RunningImpersonation } from '../../api/console/answers.ts'
import type { AuditPerson } from '../../audit/row.ts'
import { words } from '../kit/text.tsx'

export const nameOf = ({ id, name }: AuditPerson): string => name ?? id

/** How an operator is named where other operators are named, too. */
export const operatorName = ({ operator }: RunningImpersonation): string =>
  operator ? nameOf(operator) : words.running.unnamed
