import type { Context } from 'koa'
import type { Languages } from '../words/languages.ts'
import { lookUp } from '../words/look-up.ts'

/** The first language that the browser asks for, of those that there are. */
export function languageOf(ctx: Context, { tags, preferred }: Languages): string {
  for (const range of ctx.acceptsLanguages()) {
    const found = range === '*' ? preferred : lookUp(range, tags)
    if (found !== undefined) return found
  }
  return preferred
}
