import { account } from './en/account.ts'
import { audit } from './en/audit.ts'
import { frame } from './en/frame.ts'
import { notices } from './en/notices.ts'
import { operators } from './en/operators.ts'
import { permits } from './en/permits.ts'
import { problems } from './en/problems.ts'
import { running } from './en/running.ts'

// Every string that a person reads is in this catalogue. A string may have slots, such as {name}.
// Where a number decides, the string is an object by plural category: { one: …, other: … }.

/** English, the language that the others are written after. */
export const en = { frame, operators, running, audit, account, notices, permits, problems }

/** A string by plural category, with the slot {count}. */
export interface Plural {
  readonly one: string
  readonly other: string
}

/** The same keys as English, with any text. */
export type Translated<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends Plural
      ? Plural
      : Translated<T[K]>
}

export type Words = Translated<typeof en>
