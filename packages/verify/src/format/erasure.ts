import type { Erased } from './entry.ts'
import { ifRight, isInteger, isListOf, isObjectOf, isText } from './guards.ts'

/** @returns `undefined` for what is no member `erased` of an entry */
export const erasedOf = ifRight(
  isObjectOf<Erased>({
    impersonations: isListOf(isText),
    permits: isListOf(isText),
    until: isInteger,
  }),
)
