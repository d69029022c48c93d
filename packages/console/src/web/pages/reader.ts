import { randomUUID } from 'node:crypto'
import type { Context } from 'koa'
import type { At } from '../kit/at.ts'
import type { Parts } from '../parts.ts'
import type { Languages } from '../words/languages.ts'
import { lookUp } from '../words/look-up.ts'

/** The cookie with the time zone of the browser, which the script writes. */
const ZONE_COOKIE = 'zone'

/** Finds out how the reader of a page reads: from the headers and the time zone's cookie. */
export function readerOf(
  ctx: Context,
  { now, settings: { brand, languages } }: Pick<Parts, 'now' | 'settings'>,
  base: string,
  reader = '',
  here = '',
): At {
  const language = languageOf(ctx, languages)
  const isRelated = (tag: string) => tag === language || tag.startsWith(`${language}-`)
  return {
    base,
    brand,
    here,
    language,
    reader,
    now: now(),
    once: randomUUID(),
    words: languages.wordsIn(language),
    locale: ctx.acceptsLanguages().find((tag) => isRelated(tag) && isLocale(tag)) ?? language,
    zone: zoneOf(ctx),
  }
}

/** The first language that the browser asks for, of those that there are. */
export function languageOf(ctx: Context, { tags, preferred }: Languages): string {
  const asked = ctx.acceptsLanguages()
  const found = asked.flatMap((range) => (range === '*' ? preferred : (lookUp(range, tags) ?? [])))
  return found[0] ?? preferred
}

function isLocale(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}

/** The time zone of the reader: UTC until the script has written the cookie. */
export function zoneOf(ctx: Context): string {
  try {
    const zone = decodeURIComponent(ctx.cookies.get(ZONE_COOKIE) ?? '')
    return new Intl.DateTimeFormat('en', { timeZone: zone || 'UTC' }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}
