import { fill } from 'oidc-provider-impersonation-verify/format'
import type { CardInWords } from '../../../web/account-card.ts'
import type { BrandSettings } from '../../../web/brand.ts'
import type { Words } from '../../../web/words/words.ts'
import type { Notice } from './notice.ts'
import { asLine, plain, withoutAddresses } from './plain.ts'

/** The facts of a notice, before it is written. */
export interface MessageFacts extends Pick<Notice, 'by' | 'kind' | 'url'> {
  readonly name: string | undefined
  /** As the account page has it. */
  readonly card: CardInWords
}

/** The reader of a mail, and the firm. */
export interface Reader {
  readonly words: Words
  readonly language: string
  /** The language as the reader writes dates and numbers in it. */
  readonly locale: string
  readonly timeZone: string
  readonly brand: BrandSettings | undefined
}

/** The parts of a mail, in the words of the reader. */
export type MailContent = ReturnType<typeof contentOf>

export function contentOf({ kind, name, by, url, card }: MessageFacts, reader: Reader) {
  const { notices: words, account } = reader.words
  const { brand } = reader
  const title = words.subjects[kind]
  const said = fill(words.sentences[kind], { who: plain(by ?? account.support) })
  return {
    subject: brand
      ? fill(words.subjectOfFirm, { firm: asLine(brand.name), subject: title })
      : title,
    hello: name === undefined ? words.helloWithoutName : fill(words.hello, { name: plain(name) }),
    sentence: [said, ...card.warnings].join(' '),
    facts: labelledFacts(card, reader),
    doneTitle: account.did,
    done: card.done,
    linkTitle: words.links[kind],
    url,
    onlyLink: words.onlyLink,
  }
}

/** The facts that are known. A ticket keeps its digits together. */
function labelledFacts({ facts }: CardInWords, { locale, timeZone, words }: Reader) {
  const format = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  })
  const { ticket } = words.account
  return facts.flatMap(([label, value]): (readonly [label: string, value: string])[] => {
    if (value === undefined) return []
    if (typeof value === 'number') return [[label, format.format(value)]]
    return [[label, label === ticket ? withoutAddresses(value) : plain(value)]]
  })
}
