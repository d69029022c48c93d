import type { Context } from 'koa'
import { de } from './de.ts'
import { en, type Words } from './en.ts'

export type Language = 'de' | 'en'

const WORDS: Readonly<Record<Language, Words>> = { de, en }

/** The language that the browser asks for; English where it asks for another one. */
export function languageOf(ctx: Pick<Context, 'acceptsLanguages'>): Language {
  return ctx.acceptsLanguages('en', 'de') === 'de' ? 'de' : 'en'
}

export function wordsFor(ctx: Pick<Context, 'acceptsLanguages'>): Words {
  return WORDS[languageOf(ctx)]
}
