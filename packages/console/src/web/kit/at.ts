import { fill } from 'oidc-provider-impersonation-verify/format'
import { MAX_COUNTED } from '../../kernel/limits.ts'
import { formOf, type Plural } from '../../kernel/sentence.ts'
import type { BrandSettings } from '../brand.ts'
import type { MeAnswer } from '../me.ts'
import type { Words } from '../words/words.ts'

/** A form that was refused: it is shown again with its values. */
export interface Refused {
  /** The id of the form. */
  readonly form: string
  readonly values: Readonly<Record<string, string>>
  /** In the words of the person. */
  readonly problem: string
  /** The name of the field that is wrong. */
  readonly field?: string | undefined
  /** More of the answer: which approval is missing. */
  readonly more?: object | undefined
}

/** The reader of a page, and where and when the page is shown. Every component receives it. */
export interface At {
  readonly words: Words
  /** A BCP 47 tag. */
  readonly language: string
  /** The language as the person writes dates and numbers in it: `en-GB`. */
  readonly locale: string
  /** An IANA time zone. */
  readonly zone: string
  readonly brand: BrandSettings | undefined
  /** The path that all pages are below: `/console`. */
  readonly base: string
  /** This page with its query, below the base: `/audit?customer=alice`. */
  readonly here: string
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The account id of the reader. Each form has it: nobody else can send the form. */
  readonly reader: string
  /** A random id of this page: a form that is good once has it. */
  readonly once: string
  readonly refused?: Refused | undefined
  /** The problem of a form that is not on the page any more. */
  readonly lost?: string | undefined
  /** The number of things that wait for the reader: it stands in the title of the tab. */
  readonly waits?: number
  /** The sentence about what the reader did on the page before. */
  readonly said?: string | undefined
}

/** As {@link At}, for a person of the support. */
export interface StaffAt extends At {
  readonly me: MeAnswer
}

/** A number for a small place: `>100` for what is not counted any further. */
export function shortCount(count: number): string {
  return count > MAX_COUNTED ? `>${MAX_COUNTED}` : String(count)
}

/** A sentence with its slots filled, for attributes, titles and texts. */
export function text(
  { locale }: Pick<At, 'locale'>,
  of: string,
  slots: Readonly<Record<string, string | number>> = {},
): string {
  // U+2068 and U+2069 keep a value that turns the direction of writing to itself.
  return fill(of, slots, (value) =>
    typeof value === 'number'
      ? new Intl.NumberFormat(locale).format(value)
      : `\u2068${value}\u2069`,
  )
}

/** As {@link text}. The number chooses the form, and fills the slot {count}. */
export function counted(
  at: Pick<At, 'language' | 'locale'>,
  of: Plural,
  count: number,
  slots: Record<string, string | number> = {},
): string {
  return text(at, formOf(of, count, new Intl.PluralRules(at.language)), { ...slots, count })
}
