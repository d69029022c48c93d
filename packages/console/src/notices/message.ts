import type { Done } from '../api/account/answers.ts'
import type { WhatWasDone } from '../api/account/done.ts'
import type { Notice } from '../notice.ts'
import { html } from '../page/html.ts'
import { fill, formOf, type Plural } from '../words/sentence.ts'
import type { Words } from '../words/words.ts'
import { plain, withoutAddresses } from './plain.ts'

/** What a notice says, before it is written. */
export interface MessageFacts
  extends Pick<
    Notice,
    'application' | 'at' | 'by' | 'endedAt' | 'expiresAt' | 'kind' | 'startedAt' | 'ticket' | 'url'
  > {
  readonly name: string | undefined
  readonly canChange: boolean | undefined
  /** Of an end. */
  readonly done: WhatWasDone | undefined
}

/** Of the one who reads it. */
export interface Reader {
  readonly language: string
  readonly words: Words
  readonly timeZone: string
}

/** A notice as text and as HTML. What people and applications said is plain in both. */
export function writeMessage(
  facts: MessageFacts,
  reader: Reader,
): Pick<Notice, 'html' | 'subject' | 'text'> {
  const { notices: words, account } = reader.words
  const { kind, name, by, url } = facts
  const subject = words.subjects[kind]
  const hello =
    name === undefined ? words.helloWithoutName : fill(words.hello, { name: plain(name) })
  const sentence = fill(words.sentences[kind], { who: plain(by ?? account.support) })
  const lines = factLines(facts, reader)
  const done = facts.done && doneLines(facts.done, reader)
  const text = [
    `${hello}\n\n${sentence}\n`,
    ...lines,
    ...(done ? [`\n${account.did}:`, ...done.map((line) => `- ${line}`)] : []),
    `\n${words.links[kind]}\n${url}\n\n${words.onlyLink}\n`,
  ].join('\n')
  const paragraphs = [
    html`<p>${hello}</p><p>${sentence}</p>`,
    `<p>${lines.map((line) => html`${line}`).join('<br>')}</p>`,
    ...(done ? [html`<p>${account.did}:</p>`, listOf(done)] : []),
    html`<p>${words.links[kind]}<br><a href="${url}">${url}</a></p>`,
    html`<p>${words.onlyLink}</p>`,
  ].join('\n')
  const head = html`<!doctype html><html lang="${reader.language}"><meta charset="utf-8"><title>${subject}</title>`
  return { subject, text, html: `${head}\n${paragraphs}\n` }
}

const listOf = (lines: readonly string[]) =>
  `<ul>${lines.map((line) => html`<li>${line}</li>`).join('')}</ul>`

function factLines(facts: MessageFacts, reader: Reader): string[] {
  const { language, timeZone } = reader
  const { notices: words, account } = reader.words
  const { application, ticket, canChange } = facts
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    ...{ day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    ...{ timeZone, timeZoneName: 'short' },
  } as const)
  const at = (time?: number) => (time === undefined ? undefined : format.format(time))
  const allowed = canChange ? account.lookAndChange : account.look
  const pairs = [
    [account.application, application && plain(application)],
    ...timesOf(facts, reader).map(([label, time]) => [label, at(time)] as const),
    [account.could, canChange === undefined ? undefined : allowed],
    [account.ticket, ticket && withoutAddresses(ticket)],
  ] as const
  return pairs.flatMap(([label, value]) => (value ? fill(words.fact, { label, value }) : []))
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
    opened: [
      [words.since, at],
      [words.until, expiresAt],
    ],
  } as const
  return pairs[kind]
}

/** What was done, in the words of the deployment; what it has no words for is counted. */
function doneLines(
  { did, more }: WhatWasDone,
  { words: { notices: words, account }, language }: Reader,
): string[] {
  const count = (of: Plural, number: number) => counted(of, number, language)
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

function counted(of: Plural, count: number, language: string): string {
  const form = formOf(of, count, new Intl.PluralRules(language))
  return fill(form, { count: new Intl.NumberFormat(language).format(count) })
}
