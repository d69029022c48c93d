import type { Context } from 'koa'
import type { Language } from '../words/index.ts'

/** What the browser asks for, of those that there are. @param preferred where it asks for none of them */
export function languageOf(ctx: Context, preferred: Language): Language {
  const languages = [preferred, ...(['en', 'de'] as const).filter((other) => other !== preferred)]
  const asked = ctx.acceptsLanguages(languages)
  return languages.find((known) => known === asked) ?? preferred
}
