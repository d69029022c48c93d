import { fill } from 'oidc-provider-impersonation-verify/format'
import { formOf, type Plural } from '../../../kernel/sentence.ts'
import type { Done, WhatWasDone } from '../../../web/done.ts'
import type { Words } from '../../../web/words/words.ts'
import { type Layout, type MailContent, mailHtml, mailText } from './layout.ts'
import type { Notice } from './notice.ts'
import { asLine, plain, withoutAddresses } from './plain.ts'

/** What a notice says, before it is written. */
export interface MessageFacts
  extends Pick<
    Notice,
    | 'application'
    | 'at'
    | 'by'
    | 'endedAt'
    | 'expiresAt'
    | 'kind'
    | 'startedAt'
    | 'ticket'
    | 'unapproved'
    | 'url'
  > {
  readonly name: string | undefined
  /** How many impersonations it tells of. */
  readonly times: number
  readonly canChange: boolean | undefined
  /** Of an end. */
  readonly done: WhatWasDone | undefined
}

/** Of the one who reads it, and of the firm. */
export interface Reader extends Layout {
  readonly words: Words
  readonly timeZone: string
}

/** A notice as text and as HTML. What people and applications said is plain in both. */
export function writeMessage(
  facts: MessageFacts,
  reader: Reader,
): Pick<Notice, 'html' | 'subject' | 'text'> {
  const { notices: words, account } = reader.words
  const { kind, name, by, url, unapproved } = facts
  const { brand } = reader
  const title = words.subjects[kind]
  const said = fill(words.sentences[kind], { who: plain(by ?? account.support) })
  const message: MailContent = {
    subject: brand
      ? fill(words.subjectOfFirm, { firm: asLine(brand.name), subject: title })
      : title,
    hello: name === undefined ? words.helloWithoutName : fill(words.hello, { name: plain(name) }),
    sentence: unapproved ? `${said} ${account.unapproved[unapproved]}` : said,
    facts: labelledFacts(facts, reader),
    doneTitle: account.did,
    done: facts.done && doneLines(facts.done, reader),
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

/** Each with its label. */
function labelledFacts(facts: MessageFacts, reader: Reader): MailContent['facts'] {
  const { language, timeZone } = reader
  const { notices: words, account } = reader.words
  const { application, ticket, canChange, times } = facts
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    ...{ day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    ...{ timeZone, timeZoneName: 'short' },
  } as const)
  const at = (time?: number) => (time === undefined ? undefined : format.format(time))
  const allowed = canChange ? account.lookAndChange : account.look
  const pairs = [
    [account.application, application && plain(application)],
    ...timesOf(facts, reader).map(([label, time]) => [label, at(time)] as const),
    [words.howOften, times > 1 ? countedIn(words.times, times, language) : undefined],
    [account.could, canChange === undefined ? undefined : allowed],
    [account.ticket, ticket && withoutAddresses(ticket)],
  ] as const
  return pairs.flatMap(([label, value]) => (value ? [[label, value] as const] : []))
}

function timesOf({ kind, at, startedAt, endedAt, expiresAt }: MessageFacts, reader: Reader) {
  const { notices: words, account } = reader.words
  const pairs = {
    asked: [
      [account.askedAt, at],
      [words.answerUntil, expiresAt],
    ],
    started: [
      [account.started, startedAt],
      [account.endsAt, expiresAt],
    ],
    ended: [
      [account.started, startedAt],
      [account.ended, endedAt],
    ],
    emergency: [
      [words.since, at],
      [words.until, expiresAt],
    ],
    opened: [[words.since, at]],
  } as const
  return pairs[kind]
}

/** What was done, in the words of the deployment; what it has no words for is counted. */
function doneLines(
  { did, more }: WhatWasDone,
  { words: { notices: words, account }, language }: Reader,
): string[] {
  const count = (of: Plural, number: number) => countedIn(of, number, language)
  const howOf = ({ count: times, refused }: Done) =>
    [refused ? account.wasRefused : [], times > 1 ? count(words.times, times) : []].flat()
  const lines = did.map((each) => {
    const how = howOf(each).join(', ')
    return how ? fill(words.done, { what: plain(each.text), how }) : plain(each.text)
  })
  const { reads = 0, changes = 0, refused = 0 } = more ?? {}
  if (reads > 0) lines.push(count(account.reads, reads))
  if (changes > 0) lines.push(count(account.changes, changes))
  if (refused > 0) lines.push(count(account.refusals, refused))
  return lines.length > 0 ? lines : [account.didNothing]
}

function countedIn(of: Plural, count: number, language: string): string {
  const form = formOf(of, count, new Intl.PluralRules(language))
  return fill(form, { count: new Intl.NumberFormat(language).format(count) })
}
