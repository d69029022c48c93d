import type { AuditRecord, RecordKind, SaidEvent } from '../../../../web/record-answer.ts'

export type Speaker = 'approver' | 'customer' | 'eraser' | 'lead' | 'operator'

interface Transition {
  readonly from: readonly AuditRecord['state'][]
  readonly who: readonly Speaker[]
  readonly needsNote?: true
  readonly isOfNeed?: true
  readonly isOnce?: true
}

const DECIDED = { from: ['requested'], who: ['approver', 'customer'], isOfNeed: true } as const
const REVOKED = { who: ['approver', 'customer', 'operator'] } as const

export const KINDS: Readonly<
  Record<RecordKind, { says: Partial<Readonly<Record<SaidEvent, Transition>>> }>
> = {
  approval: {
    says: {
      granted: DECIDED,
      declined: DECIDED,
      revoked: { ...REVOKED, from: ['requested', 'granted'] },
    },
  },
  emergency: {
    says: {
      revoked: { ...REVOKED, from: ['granted'] },
      reviewed: {
        from: ['granted', 'revoked', 'over'],
        who: ['approver'],
        needsNote: true,
        isOnce: true,
      },
    },
  },
  answer: { says: {} },
  stop: { says: { lifted: { from: ['stopped'], who: ['approver'], needsNote: true } } },
  erasure: { says: { confirmed: { from: ['asked'], who: ['eraser'] } } },
}

/** A person, and as what the deployment knows them. */
export interface Person {
  readonly id: string | undefined
  readonly is: readonly ('approver' | 'eraser' | 'lead')[]
}

function speakersOf({ operator, customer }: AuditRecord, { id, is }: Person): readonly Speaker[] {
  if (id === operator?.id) return ['operator']
  return id === customer?.id ? ['customer'] : is
}

/** Whether a button of it works. What is over has none. */
export function canSay(record: AuditRecord, event: SaidEvent, person: Person): boolean {
  const transition = KINDS[record.kind].says[event]
  const speaker = speakersOf(record, person).find((each) => transition?.who.includes(each))
  if (!transition || !speaker || !transition.from.includes(record.state)) return false
  const need = speaker === 'customer' ? 'user' : 'second_person'
  if (transition.isOnce && record.said.some((each) => each.event === event)) return false
  if (!transition.isOfNeed) return true
  return record.needs.includes(need) && !record.said.some((each) => each.need === need)
}
