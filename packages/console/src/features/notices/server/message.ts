import { fill } from 'oidc-provider-impersonation-verify/format'
import { formOf, type Plural } from '../../../kernel/sentence.ts'
import type { CardInWords } from '../../../web/account-card.ts'
import type { Done } from '../../../web/done.ts'
import type { Words } from '../../../web/words/words.ts'
import { type Layout, type MailContent, mailHtml, mailText } from './layout.ts'
import type { Notice } from './notice.ts'
import { asLine, plain, withoutAddresses } from './plain.ts'

/** What a notice says, before it is written. */
export interface MessageFacts extends Pick<Notice, 'by' | 'kind' | 'url'> {
  readonly name: string | undefined
  /** As the account page has it. */
  readonly card: CardInWords
}

/** Of the one who reads it, and of the firm. */
export interface Reader extends Layout {
  readonly words: Words
  readonly timeZone: string
}

/** A notice as text and as HTML. What people and applications said is plain in both. */
export function writeMessage(
  { kind, name, by, url, card }: MessageFacts,
  reader: Reader,
): Pick<Notice, 'html' | 'subject' | 'text'> {
  const { notices: words, account } = reader.words
  const { brand } = reader
  const title = words.subjects[kind]
  const said = fill(words.sentences[kind], { who: plain(by ?? account.support) })
  const done = [...card.did.map((each) => doneLine(each, reader)), ...card.counts]
  const message: MailContent = {
    subject: brand
      ? fill(words.subjectOfFirm, { firm: asLine(brand.name), subject: title })
      : title,
    hello: name === undefined ? words.helloWithoutName : fill(words.hello, { name: plain(name) }),
    sentence: [said, ...card.warnings].join(' '),
    facts: labelledFacts(card, reader),
    doneTitle: account.did,
    done: done.length > 0 ? done : [card.nothing ?? []].flat(),
    linkTitle: words.links[kind],
    url,
    onlyLink: words.onlyLink,
  }
  return {
    subject: message.subject,
    text: mailText(message, (label, value) => fill(words.fact, { label, value })),
    html: mailHtml(message, reader),
  }
}

/** What is known. A ticket keeps its digits together. */
function labelledFacts({ facts }: CardInWords, { language, timeZone, words }: Reader) {
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  })
  const ticket = words.account.ticket
  return facts.flatMap(([label, value]): MailContent['facts'] => {
    if (value === undefined) return []
    if (typeof value === 'number') return [[label, format.format(value)]]
    return [[label, label === ticket ? withoutAddresses(value) : plain(value)]]
  })
}

function doneLine({ text, count, refused }: Done, { words, language }: Reader): string {
  const { notices, account } = words
  const times = count > 1 ? countedIn(notices.times, count, language) : []
  const how = [refused ? account.wasRefused : [], times].flat().join(', ')
  return how ? fill(notices.done, { what: plain(text), how }) : plain(text)
}

export function countedIn(of: Plural, count: number, language: string): string {
  const form = formOf(of, count, new Intl.PluralRules(language))
  return fill(form, { count: new Intl.NumberFormat(language).format(count) })
}
