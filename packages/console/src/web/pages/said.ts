import type { Context } from 'koa'
import { type At, counted } from '../kit/at.ts'
import { type CookiePlace, readCookie, writeCookie } from '../sign-in/cookie.ts'
import type { DoneMessage } from './table.ts'

/** The time in which the next page has to come, in seconds. */
const MAX_SECONDS = 60

/** Keeps what was done for the next page: a key of our own words and a number, never a text. */
export function keepSaid(ctx: Context, cookie: CookiePlace, { key, count = 1 }: DoneMessage): void {
  writeCookie(ctx, cookie, `${key}.${count}`, MAX_SECONDS)
}

/** Takes what was done on the page before. */
export function takeSaid(ctx: Context, cookie: CookiePlace, at: At): string | undefined {
  const kept = readCookie(ctx, cookie.name)
  if (kept === undefined) return undefined
  writeCookie(ctx, cookie, '', 0)
  const [key = '', count = ''] = kept.split('.')
  const sentence = new Map(Object.entries(at.words.web.said)).get(key)
  if (typeof sentence === 'string') return sentence
  return sentence && /^\d{1,9}$/.test(count) ? counted(at, sentence, Number(count)) : undefined
}
